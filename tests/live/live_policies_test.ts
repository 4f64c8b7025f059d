/** Policies from files and from the cluster, in one snapshot. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import type { Snapshot } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { LivePolicies } from "../../lib/live/mod.ts";
import type { ApiCall, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { installation } from "./setting.ts";

function policy(name: string, message: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: ${message}, pattern: {metadata: {labels: {team: "?*"}}}}
`;
}

function parsed(...texts: readonly string[]) {
  return parseDocuments(texts.join("---"), "policies.yaml").documents;
}

const admissionPolicies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const served: readonly ServedResource[] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]
  .map((kind) => ({
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind,
    plural: kind === "ValidatingAdmissionPolicy"
      ? "validatingadmissionpolicies"
      : "validatingadmissionpolicybindings",
    namespaced: false,
    verbs: ["list", "watch"],
    subresources: [],
    preferred: true,
  }));

function definition(group: string, kind: string, scope: "Cluster" | "Namespaced"): JsonObject {
  const plural = kind === "ClusterPolicy" ? "clusterpolicies" : "policyexceptions";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: [{ name: group === "kyverno.io" && kind === "PolicyException" ? "v2" : "v1", served: true }],
    },
  };
}

const definitions = [
  definition("kyverno.io", "ClusterPolicy", "Cluster"),
  definition("kyverno.io", "PolicyException", "Namespaced"),
  definition("policies.kyverno.io", "PolicyException", "Namespaced"),
];

/** Policies of a cluster whose objects the texts are; `written` are those of files. */
async function started(
  objects: readonly string[],
  written: readonly string[],
  change: Readonly<Record<string, readonly JsonObject[]>> = {},
) {
  const clock = systemClock(), entropy = countingEntropy();
  const inner = new EmbeddedCluster({
    objects: [...definitions, ...parsed(...objects).map(({ value }) => value)],
    clock,
    entropy,
  });
  const cluster = {
    call: (call: ApiCall) => inner.call(call),
    resource: (...type: [string, string]) => inner.resource(...type),
    follow: (path: string, signal: AbortSignal) =>
      Promise.resolve({
        ok: true as const,
        lines: (async function* () {
          // After the first load.
          await new Promise((resolve) => setTimeout(resolve, 50));
          for (const object of change[path.replace(/\?.*/, "")] ?? []) {
            yield JSON.stringify({ type: "ADDED", object });
          }
          if (signal.aborted) return;
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        })(),
      }),
  };
  const snapshots: Snapshot[] = [], lines: string[] = [];
  const collections = new LiveCollections({ cluster, clock, entropy });
  const files = parsed(...written);
  const policies = new LivePolicies({
    cluster,
    collections,
    clock,
    discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    log: {
      write: (level, message, fields = {}) =>
        void lines.push(`${level} ${message} ${String(fields["name"] ?? "")}`),
    },
    installation,
    compiling: { dialect: "current" },
    files: () => files,
    loaded: (snapshot) => void snapshots.push(snapshot),
    leads: () => false,
    isBeingRemoved: () => Promise.resolve(false),
    exceptionNamespace: "*",
  });
  await policies.start();
  if (Object.keys(change).length > 0) await new Promise((resolve) => setTimeout(resolve, 300));
  await policies.close();
  return { snapshots, lines };
}

function origins(snapshot: Snapshot): Readonly<Record<string, string>> {
  return Object.fromEntries(
    snapshot.policies.map(({ policy }) =>
      [policy.key, JSON.stringify(policy.document).match(/from an? \w+/)![0]] as const
    ),
  );
}

Deno.test("of a file and an object of one name the file's policy is in force, and the log says so", async () => {
  const { snapshots, lines } = await started(
    [policy("same", "from an object"), policy("other", "from an object")],
    [policy("same", "from a file")],
  );
  assert.deepEqual(snapshots.map(origins), [{ same: "from a file", other: "from an object" }]);
  const said = "warn a file has a policy of the same name: the object has no effect same";
  assert.deepEqual(lines.filter((line) => line.includes("same name")), [said]);
});

Deno.test("changes of many admission policies are put in force together", async () => {
  const changed = Array.from({ length: 200 }, (_, index) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: {
      name: `p${index}`,
      resourceVersion: `${index}`,
      labels: { "reports.kyverno.io/enabled": "true" },
    },
    spec: { validations: [{ expression: "true" }] },
  }));
  const { snapshots } = await started([policy("same", "from an object")], [], {
    [admissionPolicies]: changed,
  });
  assert.ok(snapshots.length === 2 || snapshots.length === 3, `${snapshots.length} loads`);
});

Deno.test("a file's exception does not replace an object of the other group that has its kind and name", async () => {
  const classic = `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: same, namespace: team}
spec:
  exceptions: [{policyName: other, ruleNames: [team]}]
  match: {any: [{resources: {kinds: [ConfigMap]}}]}
`;
  const cel = `
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: same, namespace: team}
spec:
  policyRefs: [{name: labels, kind: ValidatingPolicy}]
`;
  const { snapshots, lines } = await started([cel], [classic]);
  assert.deepEqual(lines.filter((line) => line.includes("same name")), []);
  assert.deepEqual(
    snapshots.map(({ exceptions, others }) => [exceptions.length, others.map(({ group }) => group)]),
    [[1, ["policies.kyverno.io"]]],
  );
});

Deno.test("a definition whose kind is served late: the kinds are read anew until it is, and followed once", async () => {
  const changed: (() => void)[] = [];
  let expired = 0;
  const followers: number[] = [];
  const policies = new LivePolicies({
    cluster: new EmbeddedCluster({ objects: [], clock: systemClock(), entropy: countingEntropy() }),
    collections: {
      watch(path, changes) {
        if (path.endsWith("/customresourcedefinitions")) {
          changed.push(() => void changes({ object: definitions[0]!, former: undefined }));
        }
        return {
          objects: () => [],
          synced: Promise.resolve(),
          close: () => Promise.resolve(),
          leftOut: undefined,
        };
      },
    },
    clock: systemClock(),
    discovery: {
      resources: () => Promise.resolve({ ok: true, resources: expired < 3 ? [] : served }),
      expire: () => void expired++,
    },
    log: { write() {} },
    installation,
    compiling: {},
    files: () => [],
    loaded: () => {},
    kindsChanged() {
      followers.push(expired);
    },
    leads: () => false,
    isBeingRemoved: () => Promise.resolve(false),
    exceptionNamespace: "*",
  });
  await policies.start();
  // Many definitions cost no more reads than one.
  for (let count = 0; count < 50; count++) changed[0]!();
  while (expired < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  await policies.close();
  // The first read finds what is served at all, the third the new kind.
  assert.deepEqual(followers, [1, 3]);
});
