/** Authors are warned of what their policies do not do, and of rights that are missing. */
import assert from "node:assert/strict";
import { on, pattern, policy, review } from "./author_reviews.ts";

const autogen = (kinds: string): string => `pod-policies.kyverno.io/autogen-controllers: "${kinds}"`;

const scale = "You are matching on replicas but not including the scale subresource in the policy.";

const status = "You are matching on status but not including the status subresource in the policy.";

const actions = "Validation failure actions enforce/audit are deprecated, use Enforce/Audit instead.";

function unserved(kind: string): string {
  return "the kind defined in the all match resource is invalid: " +
    `unable to convert GVK to GVR for kinds ${kind}, err: resource not found`;
}

const accepted: readonly (readonly [what: string, policy: string, ...warnings: (string | RegExp)[]])[] = [
  ["without a cause for a warning", policy(`${on("Pod")}\n${pattern}`)],
  ["about a kind that is not served", policy(`${on("Stove")}\n${pattern}`), unserved("Stove")],
  [
    "about a kind that is not served, and nearly called like one of Kubernetes",
    policy(`${on("Pot")}\n${pattern}`),
    '"Pot" is no kind of Kubernetes: did you mean "Pod"?',
    unserved("Pot"),
  ],
  [
    "about a kind in a version that is not served",
    policy(`${on("apps/v2/Pod")}\n${pattern}`),
    unserved("apps/v2/Pod"),
  ],
  ["about a subresource that is not served", policy(`${on("Pod/lid")}\n${pattern}`), unserved("Pod/lid")],
  [
    "in the background about a subresource of a kind that is not served",
    policy(`${on("Pot/*")}\n${pattern}`, { spec: "background: true" }),
    unserved("Pot/*"),
  ],
  ["about a wildcard that fits no kind", policy(`${on("Q*")}\n${pattern}`), unserved("Q*")],
  ["about every kind", policy(`${on("*")}\n${pattern}`)],
  [
    "with the action of early versions",
    policy(`${on("Pod")}\n${pattern}`, { spec: "validationFailureAction: enforce" }),
    actions,
  ],
  [
    "with the action of early versions in a rule, for a namespace",
    policy(
      `${on("Pod")}\n${
        pattern.replace("{", "{failureActionOverrides: [{action: audit, namespaces: [a]}], ")
      }`,
    ),
    actions,
  ],
  [
    "with the action of early versions for a namespace",
    policy(`${on("Pod")}\n${pattern}`, {
      spec: "validationFailureActionOverrides: [{action: enforce, namespaces: [a]}]",
    }),
    actions,
  ],
  [
    "that patches Pods alone with a JSON patch",
    policy(
      `match: {resources: {kinds: [Pod]}}\nmutate: {patchesJson6902: '[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]'}`,
    ),
    /^Pods managed by workload controllers should not be directly mutated using policies\. Use the autogen feature/,
  ],
  [
    "whose autogen leaves out controllers",
    policy(`${on("Pod")}\n${pattern}`, { annotation: autogen("Deployment") }),
    /^Policies that match Pods apply to all Pods including those created and managed by controllers excluded/,
  ],
  [
    "whose autogen names all controllers",
    policy(`${on("Pod")}\n${pattern}`, {
      annotation: autogen("Job,CronJob,DaemonSet,Deployment,StatefulSet"),
    }),
  ],
  ["without autogen", policy(`${on("Pod")}\n${pattern}`, { annotation: autogen("none") })],
  [
    "about replicas",
    policy(`${on("Deployment")}\nvalidate: {message: m, pattern: {spec: {replicas: '>1'}}}`),
    scale,
  ],
  [
    "about replicas that are also changed by scaling",
    policy(
      `${on("Deployment", "Deployment/scale")}\nvalidate: {message: m, pattern: {spec: {replicas: '>1'}}}`,
    ),
  ],
  [
    "about the status",
    policy(`${on("Pod")}\nvalidate: {message: m, pattern: {status: {phase: Running}}}`),
    status,
  ],
  [
    "that denies by replicas, which Kyverno does not look at",
    policy(
      `${
        on("Deployment")
      }\nvalidate: {message: m, deny: {conditions: [{key: '{{ request.object.spec.replicas }}', operator: Equals, value: 1}]}}`,
    ),
  ],
  [
    "that patches replicas",
    policy(`${on("Deployment")}\nmutate: {patchStrategicMerge: {spec: {replicas: 2}}}`),
    scale,
  ],
  [
    "that names the type of an attestation as early versions did",
    policy(
      `${
        on("Pod")
      }\nverifyImages: [{imageReferences: ['*'], mutateDigest: false, attestations: [{predicateType: https://slsa.dev/provenance/v0.2, attestors: [{entries: [{keys: {kms: 'k8s://a/b'}}]}]}]}]`,
    ),
    "predicateType has been deprecated use 'type: https://slsa.dev/provenance/v0.2' instead of 'predicateType: https://slsa.dev/provenance/v0.2'",
  ],
];
for (const [what, text, ...warnings] of accepted) {
  Deno.test(`a policy that Kyverno accepts with a warning: ${what}`, async () => {
    const found = await review("/policyvalidate", text);
    assert.equal(found.allowed, true, found.message);
    assert.equal(found.warnings.length, warnings.length, found.warnings.join("\n"));
    warnings.forEach((warning, index) => {
      if (typeof warning === "string") assert.equal(found.warnings[index], warning);
      else assert.match(found.warnings[index]!, warning);
    });
  });
}

const scanned: readonly (readonly [what: string, policy: string, ...warnings: string[]])[] = [
  ["of the background", policy(`${on("DaemonSet")}\n${pattern}`, { spec: "background: true" }), "DaemonSet"],
  [
    "of several",
    policy(`${on("Pod", "DaemonSet")}\n${pattern}`, { spec: "background: true" }),
    "DaemonSet",
  ],
  ["that is not scanned", policy(`${on("DaemonSet")}\n${pattern}`)],
  ["among others of a wildcard", policy(`${on("D*")}\n${pattern}`, { spec: "background: true" })],
];
for (const [what, text, ...kinds] of scanned) {
  Deno.test(`a rule about a kind that the scan may not read gives a warning: ${what}`, async () => {
    const found = await review("/policyvalidate", text);
    assert.equal(found.allowed, true, found.message);
    assert.deepEqual(
      found.warnings,
      kinds.map((kind) => `r requires permissions get,list,watch for resource ${kind}`),
    );
  });
}

const made = "apiVersion: v1, kind: ConfigMap, name: a, namespace: b";

Deno.test("a rule that generates needs to change objects only when it synchronizes them", async () => {
  const generating = (more: string): string =>
    policy(`${on("Pod")}\ngenerate: {${made}, data: {a: {b: c}}${more}}`);
  assert.equal((await review("/policyvalidate", generating(""))).message, "");
  const { message } = await review("/policyvalidate", generating(", synchronize: true"));
  assert.match(message, /^rule r: b has no permissions to update,delete v1\/ConfigMap;/);
});

Deno.test("a source that depends on the trigger gives a warning", async () => {
  const clone = `{${made}, clone: {name: a, namespace: "{{ request.namespace }}"}}`;
  assert.deepEqual((await review("/policyvalidate", policy(`${on("Pod")}\ngenerate: ${clone}`))).warnings, [
    "variables in spec.rules[0].clone/cloneList would lead to incorrect synchronization behavior",
  ]);
});

const everyKind: readonly (readonly [what: string, policy: string, message: RegExp])[] = [
  [
    "in the background",
    policy(`${on("*")}\n${pattern}`, { spec: "background: true" }),
    /not allowed in background mode/,
  ],
  ["and another", policy(`${on("*", "Pod")}\n${pattern}`), /can not deal with more than one kind/],
  [
    "that generates",
    policy(`${on("*")}\ngenerate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {}}`),
    /does not support rule type/,
  ],
  [
    "with a pattern for the spec",
    policy(`${on("*")}\nvalidate: {message: m, pattern: {spec: {a: b}}}`),
    /can only deal with the metadata field/,
  ],
  [
    "with a patch of the spec",
    policy(`${on("*")}\nmutate: {patchStrategicMerge: {spec: {a: b}}}`),
    /can only deal with the metadata field/,
  ],
];
for (const [what, text, message] of everyKind) {
  Deno.test(`a rule about every kind ${what} is refused`, async () => {
    const found = await review("/policyvalidate", text);
    assert.equal(found.allowed, false);
    assert.match(found.message, message);
  });
}
