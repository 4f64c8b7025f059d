/** Users whom the ConfigMap excludes by their roles. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Answer, Cluster } from "../../lib/ports.ts";
import type { FilterConfig } from "../../lib/server/mod.ts";
import { admissionReview } from "./review.ts";
import { denies, portsOf, serving, silentCluster } from "./serving.ts";

const enforce = "validationFailureAction: Enforce";
const policies = denies("fails", enforce) + denies("ignores", `${enforce}\n  failurePolicy: Ignore`);

const alice = [{ kind: "User", name: "alice" }];
const bindings: Readonly<Record<string, readonly JsonObject[]>> = {
  rolebindings: [
    { metadata: { namespace: "team" }, roleRef: { kind: "Role", name: "editor" }, subjects: alice },
    { metadata: { namespace: "default" }, roleRef: { kind: "ClusterRole", name: "view" }, subjects: alice },
  ],
  clusterrolebindings: [{ metadata: {}, roleRef: { kind: "ClusterRole", name: "admin" }, subjects: alice }],
};

const answerOf = (path: string): Answer => ({
  ok: true,
  status: 200,
  body: { items: bindings[path.split("/").at(-1)!] as Json },
});

const calling: Cluster = {
  call: ({ path }) => Promise.resolve(answerOf(path)),
  resource: () => Promise.resolve(undefined),
};
const inMemory: Cluster = { ...silentCluster, inMemory: answerOf };

const rows: readonly [what: string, filters: FilterConfig, isAdmitted: boolean][] = [
  ["a role", { excludeRoles: ["team:editor"] }, true],
  ["a role by a wildcard", { excludeRoles: ["team:*"] }, true],
  ["another role", { excludeRoles: ["editor", "other:editor"] }, false],
  ["a cluster role", { excludeClusterRoles: ["admin"] }, true],
  ["a cluster role that is bound in the namespace", { excludeClusterRoles: ["view"] }, true],
  ["another cluster role", { excludeClusterRoles: ["edit"] }, false],
  ["a role, and another includes", { excludeRoles: ["team:editor"], excludeClusterRoles: ["!admin"] }, false],
  ["a group, and a role includes", { excludeGroups: ["*"], excludeRoles: ["!team:editor"] }, false],
  ["a group, and another role includes", { excludeGroups: ["*"], excludeRoles: ["!team:x"] }, true],
  ["a role, and the user name includes", { excludeRoles: ["*"], excludeUsernames: ["!alice"] }, false],
];
for (const [what, filters, isAdmitted] of rows) {
  for (const [how, cluster] of [["calls", calling], ["memory", inMemory]] as const) {
    Deno.test(`a user whom ${what} excludes is ${isAdmitted ? "" : "not "}admitted, from ${how}`, async () => {
      const { review } = serving(policies, { filters: () => filters, ports: portsOf({ cluster }) });
      assert.equal((await review("/validate/fail", admissionReview())).allowed, isAdmitted);
    });
  }
}

Deno.test("where the roles of a user are unknown, the failurePolicy decides, in time", async () => {
  const filters: FilterConfig = { excludeRoles: ["a:b"] };
  for (const cluster of [portsOf().cluster, silentCluster]) {
    const { review } = serving(policies, { filters: () => filters, ports: portsOf({ cluster }) });
    const denied = await review("/validate/fail?timeout=1s", admissionReview());
    assert.match(
      denied.status?.message ?? "",
      /roles of the user, by which requests are excluded, are unknown/,
    );
    assert.equal((await review("/validate/ignore?timeout=1s", admissionReview())).allowed, true);
  }
});

Deno.test("no roles are read for requests that other filters exclude", async () => {
  const filters: FilterConfig = { excludeClusterRoles: ["admin"] };
  const { review } = serving(policies, {
    filters: () => filters,
    ports: portsOf({ cluster: silentCluster }),
  });
  const unseen = [
    admissionReview({ kind: "Event", resource: "events" }),
    admissionReview({ userInfo: { username: "system:node:a", groups: ["system:nodes"] } }),
  ];
  for (const body of unseen) assert.equal((await review("/validate/fail", body)).allowed, true);
});
