import assert from "node:assert/strict";
import { policies } from "./ports.ts";

const prod = "{namespaces: [prod*]}", blue = "{namespaceSelector: {matchLabels: {team: blue}}}";
const prodBlue = "{namespaces: [prod*], namespaceSelector: {matchLabels: {team: blue}}}";

interface Setting {
  /** Of the policy and of the rule: an action, and overrides as `Action criteria`. */
  readonly policy?: string;
  readonly rule?: string;
  readonly ofPolicy?: readonly [action: string, criteria: string][];
  readonly ofRule?: readonly [action: string, criteria: string][];
}

const cases: [about: string, setting: Setting, namespace: string, team: string, action: string][] = [
  ["audits without any setting", {}, "dev", "red", "Audit"],
  ["is that of the policy", { policy: "Enforce" }, "dev", "red", "Enforce"],
  ["is that of the rule", { policy: "Enforce", rule: "Audit" }, "dev", "red", "Audit"],
  ["has another action in a namespace", { ofPolicy: [["Enforce", prod]] }, "prod-1", "red", "Enforce"],
  ["is the policy's in other namespaces", { ofPolicy: [["Enforce", prod]] }, "dev", "red", "Audit"],
  ["has another action by labels", { ofPolicy: [["Enforce", blue]] }, "dev", "blue", "Enforce"],
  [
    "is that of the first matching override",
    {
      ofPolicy: [["Enforce", prod], ["Audit", blue]],
    },
    "prod",
    "blue",
    "Enforce",
  ],
  [
    "of an override without criteria applies to all",
    { policy: "Enforce", ofPolicy: [["Audit", "{}"]] },
    "",
    "",
    "Audit",
  ],
  ["enforces only where all criteria hold", { ofPolicy: [["Enforce", prodBlue]] }, "prod", "blue", "Enforce"],
  ["does not enforce where one of them holds", { ofPolicy: [["Enforce", prodBlue]] }, "prod", "red", "Audit"],
  [
    "audits where one of them holds",
    { policy: "Enforce", ofPolicy: [["Audit", prodBlue]] },
    "prod",
    "red",
    "Audit",
  ],
  [
    "is that of the rule's overrides before the policy's",
    {
      ofRule: [["Enforce", prod]],
      ofPolicy: [["Audit", prod]],
    },
    "prod",
    "red",
    "Enforce",
  ],
  [
    "does not enforce what the rule audits",
    { rule: "Audit", ofPolicy: [["Enforce", prod]] },
    "prod",
    "red",
    "Audit",
  ],
  [
    "does not enforce what the policy audits in this namespace",
    { rule: "Enforce", ofPolicy: [["Audit", prod]] },
    "prod",
    "red",
    "Audit",
  ],
  [
    "of a cluster-wide object ignores namespaces",
    {
      ofPolicy: [["Enforce", '{namespaces: ["*"]}']],
    },
    "",
    "",
    "Audit",
  ],
];
for (
  const [about, { policy = "Audit", rule, ofPolicy = [], ofRule = [] }, namespace, team, action] of cases
) {
  const written = (overrides: readonly [string, string][]): string =>
    `[${overrides.map(([name, criteria]) => criteria.replace("{", `{action: ${name}, `)).join(", ")}]`;
  Deno.test(`a failure action ${about}`, () => {
    const { policies: [compiled] } = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  validationFailureAction: ${policy}
  validationFailureActionOverrides: ${written(ofPolicy)}
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {${rule === undefined ? "" : `failureAction: ${rule}, `}failureActionOverrides: ${
      written(ofRule)
    }, deny: {}}`);
    assert.equal(compiled!.rules[0]!.action(namespace, team === "" ? {} : { team }), action);
  });
}
