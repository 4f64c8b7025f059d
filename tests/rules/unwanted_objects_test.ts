/** Generated objects are deleted when nothing wants them any longer. */
import assert from "node:assert/strict";
import type { PolicyRequest } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { request } from "../background/setting.ts";
import { cluster, decide, made, map, namespace, policy, shown, whenWanted } from "./generate_rules.ts";

/** A downstream that the rule made for the trigger before. */
const downstream = `${cluster}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: made
  namespace: team
  labels:
    app.kubernetes.io/managed-by: kyverno
    generate.kyverno.io/policy-name: p
    generate.kyverno.io/policy-namespace: ""
    generate.kyverno.io/rule-name: r
    generate.kyverno.io/trigger-group: ""
    generate.kyverno.io/trigger-version: v1
    generate.kyverno.io/trigger-kind: Namespace
    generate.kyverno.io/trigger-namespace: ""
    generate.kyverno.io/trigger-uid: u-team
`;

const unwanted: JsonObject = { ...namespace, metadata: { name: "team", uid: "u-team", labels: {} } };

const endings: [title: string, text: string, subject: PolicyRequest, result: string, effects: string[]][] = [
  [
    "a deleted trigger deletes its downstream objects",
    policy(made(true)),
    request(namespace, { operation: "DELETE" }),
    "fail",
    ["delete ConfigMap team/made"],
  ],
  [
    "without synchronize downstream objects stay",
    policy(made(false)),
    request(namespace, { operation: "DELETE" }),
    "fail",
    [],
  ],
  [
    "a trigger whose preconditions held before deletes its downstream objects",
    policy(made(true), whenWanted),
    request(unwanted, { operation: "UPDATE", oldObject: namespace }),
    "fail",
    ["delete ConfigMap team/made"],
  ],
  [
    "a trigger whose preconditions never held is skipped",
    policy(made(true), whenWanted),
    request(unwanted, { operation: "UPDATE", oldObject: unwanted }),
    "skip",
    [],
  ],
  [
    "a trigger that no longer matches deletes its downstream objects",
    policy(made(true)).replace(
      "kinds: [Namespace]",
      "kinds: [Namespace], selector: {matchLabels: {want: 'yes'}}",
    ),
    request(unwanted, { operation: "UPDATE", oldObject: namespace }),
    "fail",
    ["delete ConfigMap team/made"],
  ],
  [
    "a rule that matches deletions generates for them",
    policy(map("farewell", "synchronize: true\ndata: {}"), "DELETE"),
    request(namespace, { operation: "DELETE" }),
    "pass",
    ["create ConfigMap team/farewell"],
  ],
];
for (const [title, text, subject, result, effects] of endings) {
  Deno.test(`generate: ${title}`, async () => {
    const decision = await decide(text, subject, downstream);
    assert.equal(decision.results[0]?.rules[0]?.result, result);
    assert.deepEqual(decision.effects.map(shown), effects);
    assert.equal(decision.allowed, true, "what rules do to other objects refuses nothing");
  });
}
