/** A policy gets objects that are written in another version of their resource. */
import assert from "node:assert/strict";
import { asList, dig, field, textField } from "../../lib/json/mod.ts";
import { configurations, policy } from "./webhook_configurations.ts";

/** A policy in CEL about a resource in versions. */
const vpol = (name: string, versions: string, resources: string, more = "") => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    ${more}
    resourceRules:
    - {apiGroups: ["*"], apiVersions: [${versions}], operations: [CREATE], resources: [${resources}]}
  validations: [{expression: "true"}]
`;

const ofKinds = (name: string, kinds: string, spec = "") =>
  policy({ name, match: `match: {any: [{resources: {kinds: [${kinds}]}}]}`, spec });

const twoRules = `${ofKinds("a", "autoscaling/v2/Scaler").trimEnd()}
  - {name: s, match: {any: [{resources: {kinds: [Scaler]}}]}, validate: {message: m, deny: {}}}
`;

/**
 * The API server converts an object for a webhook that is about another version alone. Each row: the path and the
 * resources of each webhook; those of a path that is for converted objects alone have a star.
 */
const versionCases: readonly (readonly [what: string, policies: string, webhooks: readonly string[]])[] = [
  ["in CEL, about one version and about all", vpol("a", "v1", "scalers") + "---" + vpol("b", '"*"', '"*"'), [
    "/vpol/a v1:scalers",
    "/vpol/b *:*",
  ]],
  [
    "in CEL, about one version and about another",
    vpol("a", "v1", "scalers") + "---" + vpol("b", "v2", "scalers") + "---" + vpol("c", "v1", "scalers"),
    ["/vpol/a/c v1:scalers", "/vpol/b v2:scalers"],
  ],
  [
    "in CEL, about each version and about all",
    vpol("a", "v1, v2", "scalers") + "---" + vpol("b", '"*"', '"*"'),
    ["/vpol/a/b *:*"],
  ],
  [
    "in CEL, about different resources",
    vpol("a", "v1", "scalers") + "---" + vpol("b", '"*"', "secrets"),
    ["/vpol/a/b *:secrets v1:scalers"],
  ],
  [
    "in CEL, about all resources of one version",
    vpol("a", "v1", '"*"') + "---" + vpol("b", "v2", "scalers"),
    ["/vpol/a v1:*", "/vpol/b v2:scalers"],
  ],
  [
    "about one version and about all",
    ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "Scaler") + "---" + ofKinds("c", "Secret"),
    ["/validate/fail v1:scalers v1:secrets v2:scalers", "/validate/fail/finegrained/a* v2:scalers"],
  ],
  ["about one version and every kind", ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "'*'"), [
    "/validate/fail *:*,pods/ephemeralcontainers",
    "/validate/fail/finegrained/a* v2:scalers",
  ]],
  ["with two rules, about one version and about all", twoRules, [
    "/validate/fail v1:scalers v2:scalers",
    "/validate/fail/finegrained/a* v2:scalers",
  ]],
  [
    "of different failurePolicies",
    ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "Scaler", "failurePolicy: Ignore"),
    ["/validate/fail v2:scalers", "/validate/ignore v1:scalers v2:scalers"],
  ],
  [
    "of which one has a selector that cannot be read",
    [
      vpol("a", "v1", "secrets"),
      vpol("b", "v1", "secrets", "objectSelector: {matchExpressions: [{key: a, operator: Inn}]}"),
    ].join("---"),
    ["/vpol/a v1:secrets"],
  ],
  ["about kinds of one version", ofKinds("a", "v1/Secret") + "---" + ofKinds("b", "'*'"), [
    "/validate/fail *:*,pods/ephemeralcontainers",
  ]],
];
for (const [what, policies, expected] of versionCases) {
  Deno.test(`webhooks: a policy gets objects that are written in another version: policies ${what}`, () => {
    const webhooks = asList(field(configurations(policies).validate, "webhooks"));
    const found = webhooks.map((each) => {
      const isForConverted = asList(field(each, "matchConditions")).some((condition) =>
        /requestKind/.test(textField(condition, "expression"))
      );
      const rules = asList(field(each, "rules")).map((rule) =>
        `${asList(field(rule, "apiVersions")).join()}:${asList(field(rule, "resources")).join()}`
      );
      return `${dig(each, "clientConfig", "service", "path")}${isForConverted ? "*" : ""} ${
        rules.sort().join(" ")
      }`;
    });
    assert.deepEqual(found.sort(), [...expected].sort());
  });
}

Deno.test("webhooks: policies of namespaces take no objects in other versions from policies of the cluster", () => {
  const kinds = "kinds: [autoscaling/v2/Scaler]", match = `match: {any: [{resources: {${kinds}}}]}`;
  const ofTenants = Array.from(
    { length: 800 },
    (_, at) => policy({ kind: "Policy", name: `p${at}`, match }),
  );
  const text = [ofKinds("of-cluster", "autoscaling/v2/Scaler"), ofKinds("all", "Scaler"), ...ofTenants];
  const { validate } = configurations(text.join("---"));
  const names = asList(field(validate, "webhooks")).map((each) => textField(each, "name"));
  assert.deepEqual(names, ["validate.kyverno.svc-fail", "validate.kyverno.svc-fail-finegrained-of-cluster"]);
});
