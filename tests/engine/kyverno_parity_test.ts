/** Behaviour of the engine that exists only because Kyverno has it. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type PolicyRequest } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { podOf, policy as imagePolicy } from "../rules/verify_images/setting.ts";
import { pod, policies, ports, request } from "./ports.ts";

/** A ClusterPolicy with rules about Pods, each given as its name and the rest of its YAML. */
function policy(
  rules: readonly (readonly [name: string, rest: string])[],
  spec = "background: true",
): string {
  const written = rules.map(([name, rest]) =>
    `  - {name: ${name}, match: {any: [{resources: {kinds: [Pod]}}]}, ${rest}}`
  );
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  ${spec}
  rules:
${written.join("\n")}
`;
}

const noHostPid = "validate: {message: no host PID, pattern: {spec: {=(hostPID): false}}}";
const bad = pod({ hostPID: true });

/** An exception from policy p for the objects of a team. */
function exemptsTeam(more = ""): string {
  return `---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {team: "?*"}}}}]}
  exceptions: [{policyName: p, ruleNames: [r]}]
  ${more}
`;
}

/** The results of the rules, each as `RULE RESULT`. */
function answers(decision: Decision): string[] {
  return decision.results.flatMap(({ rules }) => rules.map(({ rule, result }) => `${rule} ${result}`));
}

interface Case {
  readonly policies: string;
  readonly about: PolicyRequest;
  readonly phase?: "mutate" | "validate" | "generate";
  readonly answers: readonly string[];
}

const broken = `mutate: {patchesJson6902: '[{"op": "replace", "path": "/spec/nowhere/x", "value": 1}]'}`;
const labelling = "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}";
const ofNamespace = (name: string): string =>
  `{kind: ConfigMap, apiVersion: v1, name: ${name}, namespace: default, data: {data: {}}}`;

const cases: Readonly<Record<string, Case>> = {
  "an override for a namespace does not admit an existing violation": {
    policies: policy(
      [["r", noHostPid]],
      "validationFailureActionOverrides: [{action: Enforce, namespaces: [default]}]",
    ),
    about: request(bad, { operation: "UPDATE", oldObject: bad }),
    answers: ["r fail"],
  },
  "an update of an object that violated the rule before is admitted, although an exception exempted it": {
    policies: policy([["r", noHostPid]], "validationFailureAction: Enforce") + exemptsTeam(),
    about: request(bad, {
      operation: "UPDATE",
      oldObject: pod({ hostPID: true }, { labels: { team: "a" } }),
    }),
    answers: ["r skip"],
  },
  "an update of an object whose Pod Security controls an exception exempted is denied": {
    policies: policy(
      [["r", "validate: {podSecurity: {level: baseline}}"]],
      "validationFailureAction: Enforce",
    ) + exemptsTeam("podSecurity: [{controlName: Host Namespaces}]"),
    about: request(bad, {
      operation: "UPDATE",
      oldObject: pod({ hostPID: true }, { labels: { team: "a" } }),
    }),
    answers: ["r fail"],
  },
  "after a mutation that failed the following rules of the policy find no object": {
    policies: policy([["bad", broken], ["good", labelling]], "failurePolicy: Ignore"),
    about: request(pod()),
    phase: "mutate",
    answers: ["bad error"],
  },
  "after a mutation that failed the following rules match by the old object": {
    policies: policy([["bad", broken], ["good", labelling]], "failurePolicy: Ignore"),
    about: request(pod(), { operation: "UPDATE", oldObject: pod() }),
    phase: "mutate",
    answers: ["bad error", "good error"],
  },
  "a violation by a subresource is denied although the whole object violated the rule before": {
    policies: policy([["r", noHostPid]], "validationFailureAction: Enforce").replace(
      "[Pod]",
      "[Pod/status]",
    ),
    about: request(bad, { operation: "UPDATE", oldObject: bad, subresource: "status" }),
    answers: ["r fail"],
  },
  "a user without roles has no roles to read": {
    policies: policy([[
      "r",
      `validate: {message: m, deny: {conditions: {all: [{key: "{{ length(request.roles) }}", operator: Equals, value: 0}]}}}`,
    ]]),
    about: request(pod(), { requester: { username: "bob", groups: [], roles: [], clusterRoles: [] } }),
    answers: ["r error"],
  },
  "an exception skips a generate rule for an object that the rule does not match": {
    policies: `${policy([["r", `generate: ${ofNamespace("a")}`]])}---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: ops}
spec:
  match: {any: [{resources: {kinds: [Pod, Service]}}]}
  exceptions: [{policyName: p, ruleNames: [r]}]
`.replace("kinds: [Pod]", "kinds: [Pod], names: [db]"),
    about: request(pod()),
    phase: "generate",
    answers: ["r skip"],
  },
};

for (
  const [title, { policies: text, about, phase = "validate", answers: expected }] of Object.entries(cases)
) {
  Deno.test(title, async () => {
    const snapshot = policies(text, { dialect: "current" });
    const decision = await evaluate(snapshot, about, { phase, ports: ports() });
    assert.deepEqual(answers(decision), expected);
  });
}

Deno.test("reportProperties of a generate rule keep their variables", async () => {
  const text = policy([[
    "r",
    `reportProperties: {name: "{{ request.name }}"}, generate: ${ofNamespace("a")}`,
  ]]);
  const decision = await evaluate(policies(text), request(pod()), { phase: "generate", ports: ports() });
  assert.deepEqual(decision.results[0]!.rules[0]!.properties, { name: "{{ request.name }}" });
});

const user = { username: "bob", groups: ["dev"] };
const bound = (kind: string, name: string, namespace?: string): JsonObject => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  roleRef: { kind, name },
  subjects: [{ kind: "Group", name: "dev" }],
});

Deno.test("a user has the Roles of all namespaces, but ClusterRoles bound in the request's namespace alone", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const cluster = ports({
    [`${rbac}/rolebindings`]: {
      items: [
        bound("Role", "here", "default"),
        bound("Role", "there", "other"),
        bound("ClusterRole", "edit", "default"),
        bound("ClusterRole", "admin", "other"),
      ],
    },
    [`${rbac}/clusterrolebindings`]: { items: [bound("ClusterRole", "view")] },
  });
  const text = policy([[
    "r",
    `validate: {message: "{{ join(',', request.roles) }} {{ join(',', request.clusterRoles) }}", deny: {}}`,
  ]]);
  const decision = await evaluate(policies(text), request(pod(), { requester: user }), {
    phase: "validate",
    ports: cluster,
  });
  assert.equal(decision.results[0]!.rules[0]!.message, "default:here,other:there edit,view");
});

Deno.test("a classic policy with its own webhook path verifies no images", async () => {
  const text = imagePolicy('[{imageReferences: ["r.io/*"], failureAction: Enforce}]');
  const options = { phase: "mutate", ports: ports() } as const;
  const about = request(podOf(["r.io/one:v1"]));
  const all = await evaluate(policies(text), about, options);
  assert.equal(answers(all).length, 1);
  const alone = await evaluate(policies(text), about, { ...options, policy: "p", kind: "ClusterPolicy" });
  assert.deepEqual(answers(alone), []);
});
