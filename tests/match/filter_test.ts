import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { parseMatch } from "../../lib/policy/mod.ts";
import { type Candidate, compileExclude, compileMatch, type User } from "../../lib/match/mod.ts";

const bob: User = { username: "bob", groups: ["dev"], roles: ["team-a:editor"], clusterRoles: ["view"] };
const bot: User = { username: "system:serviceaccount:ci:bot", groups: [], roles: [], clusterRoles: [] };

const pod: Candidate = {
  group: "",
  version: "v1",
  kind: "Pod",
  subresource: "",
  operation: "CREATE",
  resource: {
    metadata: {
      name: "web-1",
      namespace: "team-a",
      labels: { app: "web", tier: "front" },
      annotations: { owner: "alice" },
    },
  },
  namespaceLabels: { env: "prod" },
  user: bob,
};

const matches: [about: string, match: JsonObject, change: Partial<Candidate>, expected: boolean][] = [
  ["an empty match selects nothing", {}, {}, false],
  ["a kind", { any: [{ resources: { kinds: ["Pod"] } }] }, {}, true],
  ["another kind", { any: [{ resources: { kinds: ["Service"] } }] }, {}, false],
  ["a kind with its version", { any: [{ resources: { kinds: ["v1/Pod"] } }] }, {}, true],
  ["a kind with its group", { any: [{ resources: { kinds: ["apps/v1/Deployment"] } }] }, {
    group: "apps",
    kind: "Deployment",
  }, true],
  ["a subresource", { any: [{ resources: { kinds: ["Pod/exec"] } }] }, { subresource: "exec" }, true],
  ["a plain kind does not match its subresources", { any: [{ resources: { kinds: ["Pod"] } }] }, {
    subresource: "exec",
  }, false],
  ["Pod matches its ephemeral containers", { any: [{ resources: { kinds: ["Pod"] } }] }, {
    subresource: "ephemeralcontainers",
  }, true],
  ["comma lists in one string", { resources: { kinds: ["Deployment,Pod"] } }, {}, true],
  ["names with wildcards", { any: [{ resources: { kinds: ["Pod"], names: ["web-*"] } }] }, {}, true],
  ["names that do not match", { any: [{ resources: { kinds: ["Pod"], names: ["db-*"] } }] }, {}, false],
  ["name and names must both hold", { any: [{ resources: { name: "web-*", names: ["db-*"] } }] }, {}, false],
  [
    "generateName stands in for a name",
    { any: [{ resources: { names: ["gen-*"] } }] },
    { resource: { metadata: { generateName: "gen-" } } },
    true,
  ],
  ["namespaces with wildcards", { any: [{ resources: { namespaces: ["team-*"] } }] }, {}, true],
  [
    "a Namespace is in the namespace of its name",
    { any: [{ resources: { namespaces: ["prod"] } }] },
    { kind: "Namespace", resource: { metadata: { name: "prod" } } },
    true,
  ],
  ["operations", { any: [{ resources: { kinds: ["Pod"], operations: ["DELETE"] } }] }, {}, false],
  ["annotations by wildcard", { any: [{ resources: { annotations: { "own*": "al?ce" } } }] }, {}, true],
  ["labels", { any: [{ resources: { selector: { matchLabels: { app: "web" } } } }] }, {}, true],
  ["labels by wildcard", { any: [{ resources: { selector: { matchLabels: { "a*": "w?b" } } } }] }, {}, true],
  [
    "label expressions",
    {
      any: [{
        resources: {
          selector: { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["front"] }] },
        },
      }],
    },
    {},
    false,
  ],
  [
    "namespace labels",
    { any: [{ resources: { namespaceSelector: { matchLabels: { env: "prod" } } } }] },
    {},
    true,
  ],
  [
    "a Namespace has no namespace labels",
    { any: [{ resources: { namespaceSelector: { matchLabels: { env: "prod" } } } }] },
    { kind: "Namespace" },
    false,
  ],
  ["a user by wildcard", { any: [{ subjects: [{ kind: "User", name: "b*" }] }] }, {}, true],
  ["a group", { any: [{ subjects: [{ kind: "Group", name: "dev" }] }] }, {}, true],
  [
    "a service account",
    { any: [{ subjects: [{ kind: "ServiceAccount", name: "bot", namespace: "ci" }] }] },
    { user: bot },
    true,
  ],
  ["a role", { any: [{ roles: ["team-a:editor"] }] }, {}, true],
  ["roles have no wildcards", { any: [{ roles: ["team-a:*"] }] }, {}, false],
  [
    "in a filter, all user criteria must match",
    { any: [{ clusterRoles: ["view"], subjects: [{ kind: "User", name: "eve" }] }] },
    {},
    false,
  ],
  [
    "one of any is enough",
    { any: [{ resources: { kinds: ["Service"] } }, { resources: { kinds: ["Pod"] } }] },
    {},
    true,
  ],
  [
    "all needs every filter",
    { all: [{ resources: { kinds: ["Service"] } }, { resources: { kinds: ["Pod"] } }] },
    {},
    false,
  ],
  [
    "any overrides the direct form",
    { any: [{ resources: { kinds: ["Pod"] } }], resources: { kinds: ["Service"] } },
    {},
    true,
  ],
  [
    "without a user, user criteria are ignored",
    { any: [{ resources: { kinds: ["Pod"] }, clusterRoles: ["admin"] }] },
    { user: undefined },
    true,
  ],
  ["without a user, a filter of user criteria is empty", { any: [{ clusterRoles: ["admin"] }] }, {
    user: undefined,
  }, false],
  ["a selector without kinds", { resources: { selector: { matchLabels: { app: "web" } } } }, {}, true],
];
for (const [about, match, change, expected] of matches) {
  Deno.test(`match: ${about}`, () => {
    const mismatch = compileMatch(parseMatch(match), "current").mismatch({ ...pod, ...change });
    assert.equal(mismatch === undefined, expected, mismatch);
  });
}

Deno.test("match: in a direct block one user criterion suffices in the classic dialect, the current one needs all", () => {
  const block = { clusterRoles: ["cluster-admin"], subjects: [{ kind: "User", name: "bob" }] };
  assert.equal(compileExclude(parseMatch(block), "classic").mismatch(pod), undefined);
  assert.equal(compileExclude(parseMatch(block), "current").mismatch(pod), "user");
});

Deno.test("exclude: an empty filter never excludes, and all needs all filters", () => {
  assert.notEqual(compileExclude(parseMatch({ any: [{}] }), "current").mismatch(pod), undefined);
  const both = { all: [{ resources: { kinds: ["Pod"] } }, { resources: { namespaces: ["x"] } }] };
  assert.notEqual(compileExclude(parseMatch(both), "current").mismatch(pod), undefined);
});

Deno.test("exclude: without a user, user criteria do not exclude", () => {
  assert.notEqual(
    compileExclude(parseMatch({ any: [{ clusterRoles: ["view"] }] }), "current").mismatch({
      ...pod,
      user: undefined,
    }),
    undefined,
  );
});
