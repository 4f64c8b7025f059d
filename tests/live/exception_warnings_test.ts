/** The author of an exception is warned of policies and rules that do not exist. */
import assert from "node:assert/strict";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { type ExistingPolicies, missingTargets } from "../../lib/live/admission/exception_warnings.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const policies = parseDocuments(
  `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: pods}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}
---
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: maps, namespace: dev}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: m, pattern: {metadata: {labels: {owner: "?*"}}}}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: names}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "true"}]
`,
  "p.yaml",
).documents;

/** Policies whose methods read private fields, as those of a cluster do. */
class StoredPolicyObjects implements ExistingPolicies {
  readonly #objects = policies.map(({ value }) => value as JsonObject);
  readonly snapshot: Snapshot | undefined;

  constructor(snapshot: Snapshot | undefined) {
    this.snapshot = snapshot;
  }

  stored(): readonly JsonObject[] {
    return this.#objects;
  }
}

const existing = new StoredPolicyObjects(compile(policies));

/** An exception of kyverno.io from rules of a policy. */
function from(policyName: string, ...ruleNames: string[]): JsonObject {
  return {
    apiVersion: "kyverno.io/v2",
    kind: "PolicyException",
    metadata: { name: "e", namespace: "dev" },
    spec: { exceptions: [{ policyName, ruleNames }] },
  };
}

/** An exception from a policy in CEL. */
function fromCel(kind: string, name: string): JsonObject {
  return {
    apiVersion: "policies.kyverno.io/v1",
    kind: "PolicyException",
    metadata: { name: "e", namespace: "dev" },
    spec: { policyRefs: [{ kind, name }] },
  };
}

const cases: readonly (readonly [what: string, exception: JsonObject, warnings: readonly string[]])[] = [
  ["a rule that exists", from("pods", "team"), []],
  ["a rule for controllers", from("pods", "autogen-team", "autogen-cronjob-team"), []],
  ["rules by a wildcard", from("pods", "*"), []],
  ["a Policy with its namespace", from("dev/maps", "owner"), []],
  ["a policy that does not exist", from("podz", "team"), ["there is no policy podz yet: check its name"]],
  ["a Policy without its namespace", from("maps", "owner"), [
    "there is no policy maps yet: a Policy is named NAMESPACE/NAME",
  ]],
  ["a rule that does not exist", from("pods", "teams", "team"), [
    "policy pods has no rule teams: its rules are team, autogen-team, autogen-cronjob-team",
  ]],
  ["a policy in CEL by its rule", from("names", "rule"), ["there is no policy names yet: check its name"]],
  ["a policy in CEL", fromCel("ValidatingPolicy", "names"), []],
  ["a policy in CEL that does not exist", fromCel("ValidatingPolicy", "name"), [
    "there is no ValidatingPolicy name yet: check its kind and name",
  ]],
  ["a policy in CEL of another kind", fromCel("MutatingPolicy", "names"), [
    "there is no MutatingPolicy names yet: check its kind and name",
  ]],
];

for (const [what, exception, warnings] of cases) {
  Deno.test(`the warnings for an exception that names ${what}: ${warnings.length}`, () => {
    assert.deepEqual(missingTargets(exception, existing), warnings);
  });
}

Deno.test("before policies are in force, an exception is not compared with their rules", () => {
  assert.deepEqual(missingTargets(from("pods", "teams"), new StoredPolicyObjects(undefined)), []);
});
