/** Whether a policy has room in memory beside those that are stored. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { CompiledWeights, PolicyBudget, roomProblem } from "../../lib/policy/mod.ts";

/** A policy whose weight is about that of so many values: a ClusterPolicy, or with a namespace a Policy. */
function policy(name: string, weight: number, namespace?: string, kind = "Policy"): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: namespace === undefined ? "ClusterPolicy" : kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: {
      rules: [{
        name: "r",
        match: { any: [{ resources: { kinds: ["Secret"], names: Array(weight - 20).fill("n") } }] },
      }],
    },
  };
}

const limit = 1_000;
const cases: readonly (readonly [
  what: string,
  stored: readonly JsonObject[],
  added: JsonObject,
  problem: RegExp | undefined,
])[] = [
  ["the first of a namespace", [], policy("p", 200, "team"), undefined],
  [
    "more than a quarter in one namespace",
    [policy("p", 200, "team")],
    policy("q", 100, "team"),
    /^the policies of namespace team would weigh 3\d\d values together and may weigh 250, .*: delete or shorten some/,
  ],
  [
    "another namespace's first, beside one that has its share",
    [policy("p", 240, "team")],
    policy("p", 200, "b"),
    undefined,
  ],
  [
    "more than three quarters in all namespaces",
    ["a", "b", "c", "d"].map((namespace) => policy("p", 180, namespace)),
    policy("p", 100, "e"),
    /^the policies of all namespaces would weigh 8\d\d values together and may weigh 750/,
  ],
  [
    "a ClusterPolicy in the cluster's reserve",
    ["a", "b", "c", "d"].map((namespace) => policy("p", 180, namespace)),
    policy("p", 200),
    undefined,
  ],
  [
    "a ClusterPolicy beyond the reserve",
    ["a", "b", "c", "d"].map((namespace) => policy("p", 180, namespace)),
    policy("p", 400),
    /^all policies would weigh 11\d\d values together and may weigh 968/,
  ],
  ["a ClusterPolicy that takes nearly all", [], policy("p", 900), undefined],
  [
    "a Policy beside ClusterPolicies that take nearly all",
    [policy("p", 900)],
    policy("p", 150, "team"),
    /^all policies would weigh/,
  ],
  [
    "a new version in place of the stored one",
    [policy("p", 200, "team")],
    policy("p", 220, "team"),
    undefined,
  ],
  [
    "an exception, a cleanup policy and a policy in CEL count for their namespace",
    [policy("p", 100, "team", "PolicyException"), policy("p", 100, "team", "CleanupPolicy")],
    policy("p", 100, "team", "NamespacedValidatingPolicy"),
    /^the policies of namespace team/,
  ],
];
for (const [what, stored, added, problem] of cases) {
  Deno.test(`room for a policy: ${what}`, () => {
    const found = roomProblem(added, { stored, weights: new CompiledWeights(limit) });
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", problem);
    const unlimited = new CompiledWeights(Infinity);
    assert.equal(roomProblem(added, { stored, weights: unlimited }), undefined);
  });
}

Deno.test("policies that are reviewed at the same moment, before any of them is stored, leave out none", () => {
  const budget = new PolicyBudget(20_000), { weights } = budget;
  const stored: JsonObject[] = [];
  const next = (): JsonObject => policy(`p${stored.length}`, 50);
  while (roomProblem(next(), { stored, weights }) === undefined) stored.push(next());
  stored.pop();
  const admitted = [..."abcdefgh"].map((name) => policy(name, 50));
  for (const each of admitted) assert.equal(roomProblem(each, { stored, weights }), undefined);
  const text = [...stored, ...admitted].map((each) => JSON.stringify(each)).join("\n---\n");
  const { documents } = parseDocuments(text, "policies.yaml");
  assert.deepEqual(budget.fit(documents, "deny").leftOut, []);
});
