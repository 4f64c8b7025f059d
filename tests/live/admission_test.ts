/** Postern denies storing a broken policy, and warns of what its author should change. */
import assert from "node:assert/strict";
import { calls, generate, onPods, pattern, policy, review } from "./admission_reviews.ts";

const touches = (rest: string, type = "apiVersion: v1, kind: ConfigMap") =>
  `mutate: {${rest} targets: [{${type}, name: x, namespace: other}], ` +
  'patchStrategicMerge: {data: {a: "{{ request.object.metadata.name }}"}}}';

const namespacedPolicy = "kind: Policy\nmetadata: {name: p, namespace: team}";

const refused: readonly (readonly [what: string, policy: string, message: RegExp])[] = [
  [
    "a DeletingPolicy with an invalid schedule",
    "apiVersion: policies.kyverno.io/v1\nkind: DeletingPolicy\nmetadata: {name: p}\nspec: {schedule: soon, matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}}",
    /spec\.schedule: .*not a cron schedule/,
  ],
  [
    "a NamespacedDeletingPolicy with an hour that no day has",
    "apiVersion: policies.kyverno.io/v1\nkind: NamespacedDeletingPolicy\nmetadata: {name: p}\nspec: {schedule: '0 25 * * *', matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}}",
    /spec\.schedule: .*not a cron schedule/,
  ],
  [
    "a spec that is too large",
    policy(`match: {any: [${"{resources: {kinds: [Pod], names: [a]}},".repeat(10_000)}]}\n${pattern}`),
    /^the spec has more than 10000 values/,
  ],
  [
    "hundreds of mistakes",
    policy(
      `${onPods}\nvalidate: {message: "${
        Array.from({ length: 300 }, (_, at) => `{{ a${at} }}`).join("")
      }", deny: {}}`,
    ),
    /^(?=.{1,25000}$)[^]*; and 280 more$/,
  ],
  [
    "a policy without admission and background",
    policy(`${onPods}\n${pattern}`, "admission: false\n  background: false"),
    /disabling both/,
  ],
  [
    "a timeout that no webhook may have",
    policy(`${onPods}\n${pattern}`, "webhookTimeoutSeconds: 31"),
    /between 1 and 30 seconds/,
  ],
  [
    "a subject without a kind",
    policy(
      `match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: Robot, name: x}]}]}\n${pattern}`,
      "background: false",
    ),
    /not "Robot"/,
  ],
  [
    "the autogen annotation of early versions",
    policy(
      `${onPods}\n${pattern}`,
      "",
      "kind: ClusterPolicy\nmetadata: {name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: all}}",
    ),
    /^metadata\.annotations.*: Autogen annotation does not support 'all' anymore/,
  ],
  [
    "two actions for one namespace",
    policy(
      `${onPods}\n${pattern}`,
      "validationFailureActionOverrides: [{action: Audit, namespaces: [a, b*]}, {action: Enforce, namespaces: [b*, a]}]",
    ),
    /^spec\.validationFailureActionOverrides\[1\]\.namespaces: conflicting namespaces found: b\*, a \(/,
  ],
  [
    "actions for namespaces in a Policy",
    policy(
      `${onPods}\n${pattern}`,
      "validationFailureActionOverrides: [{action: Audit, namespaces: [a]}]",
      namespacedPolicy,
    ),
    /supported only with ClusterPolicy/,
  ],
  [
    "a selector without requirements",
    policy(`match: {any: [{resources: {kinds: [Pod], selector: {}}}]}\n${pattern}`),
    /requirements are not specified in selector/,
  ],
  [
    "a selector that cannot be read",
    policy(`match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {'a b': c}}}}]}\n${pattern}`),
    /name part must consist of/,
  ],
  [
    "a service account without a namespace",
    policy(
      `${onPods}\nexclude: {any: [{subjects: [{kind: ServiceAccount, name: a}]}]}\n${pattern}`,
      "background: false",
    ),
    /namespace is required when Kind is ServiceAccount/,
  ],
  [
    "filters in two forms",
    policy(`match: {any: [{resources: {kinds: [Pod]}}], resources: {kinds: [Secret]}}\n${pattern}`),
    /Of match only any counts/,
  ],
  [
    "several bodies",
    policy(`${onPods}\n${pattern}\nmutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}`),
    /only validate\.pattern runs, not mutate/,
  ],
  [
    "a ConfigMap without a namespace",
    policy(`${onPods}\ncontext: [{name: a, configMap: {name: b}}]\n${pattern}`),
    /a namespace is required for configMap context entry/,
  ],
  [
    "a service with a path",
    policy(
      `${onPods}\ncontext: [{name: a, apiCall: {urlPath: /b, service: {url: 'https://c'}}}]\n${pattern}`,
    ),
    /a URLPath cannot be used for service API calls/,
  ],
  [
    "a context entry that is named as a value of the request",
    policy(`${onPods}\ncontext: [{name: images, variable: {value: b}}]\n${pattern}`),
    /cannot be named "images"/,
  ],
  [
    "a condition without a value",
    policy(`${onPods}\nvalidate: {deny: {conditions: {any: [{key: a, operator: Equals}]}}}`),
    /`key`, `value` or `operator` is missing/,
  ],
  [
    "a condition without a key",
    policy(`${onPods}\nvalidate: {deny: {conditions: {all: [{operator: Equals, value: b}]}}}`),
    /`key`, `value` or `operator` is missing/,
  ],
  [
    "a target in a rule without targets",
    policy(`${onPods}\nvalidate: {message: "{{ target.metadata.name }}", pattern: {metadata: {name: a}}}`),
    /target exists only in rules with mutate\.targets/,
  ],
  [
    "CEL with context entries",
    policy(
      `${onPods}\ncontext: [{name: a, variable: {value: b}}]\nvalidate: {cel: {expressions: [{expression: "true"}]}}`,
    ),
    /^spec\.rules\[0\]\.context: context variables are not supported for CEL expressions in validate rules/,
  ],
  [
    "a generated object of a kind that is not served",
    policy(generate("{apiVersion: a.io/v1, kind: Pot, name: s, namespace: x, data: {}}")),
    /^rule r: failed to get GVR for kind a\.io\/v1\/Pot$/,
  ],
  [
    "a policy in CEL that matches no resources",
    "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: 'true'}]}",
    /^spec\.matchConstraints: Required value: a matchConstraints with at least one resource rule is required$/,
  ],
  [
    "a policy in CEL with a selector that cannot be read",
    "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {matchConstraints: {objectSelector: {matchExpressions: [{key: a, operator: Inn}]}, resourceRules: " +
    "[{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: 'true'}]}",
    /^The selector selects nothing: .*Inn/,
  ],
  [
    "a policy in CEL with a resource rule without groups",
    "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {matchConstraints: {resourceRules: [{apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, " +
    "validations: [{expression: 'true'}]}",
    /^The rule selects nothing: it has no apiGroups/,
  ],
  [
    "a subresource that is not served in a background policy",
    policy(`match: {any: [{resources: {kinds: [Pod/lid]}}]}\n${pattern}`),
    /does not see Pod\/lid/,
  ],
  [
    "the kind of a subresource in a background policy",
    policy(`match: {any: [{resources: {kinds: [PodExecOptions]}}]}\n${pattern}`),
    /does not see PodExecOptions/,
  ],
  [
    "a subresource in a background policy",
    policy("match: {any: [{resources: {kinds: [Pod/exec]}}]}\nvalidate: {deny: {}}"),
    /does not see Pod\/exec/,
  ],
  [
    "CEL preconditions of a rule without CEL",
    policy(`${onPods}\ncelPreconditions: [{name: a, expression: "true"}]\n${pattern}`),
    /celPrecondition can only be used with validate\.cel/,
  ],
  [
    "an unknown operator",
    policy(`${onPods}\nvalidate: {deny: {conditions: {any: [{key: a, operator: Invalid, value: b}]}}}`),
    /entered value of `operator` is invalid/,
  ],
  [
    "an unknown operator in two conditions, which is said once",
    policy(
      `${onPods}\nvalidate: {deny: {conditions: {any: [{key: a, operator: Invalid, value: b}, {key: b, operator: Invalid, value: c}]}}}`,
    ),
    /^(?:(?!entered value)[^])*entered value of `operator` is invalid(?:(?!entered value)[^])*$/,
  ],
  [
    "the requesting user in a background policy",
    policy(`${onPods}\nvalidate: {pattern: {metadata: {labels: {a: "{{request.roles}}"}}}}`),
    /invalid variable used: variable \{\{request\.roles\}\} is not allowed/,
  ],
  [
    "the requesting service account in a background policy",
    policy(`${onPods}\nvalidate: {pattern: {metadata: {labels: {a: "{{ serviceAccountName }}"}}}}`),
    /invalid variable used: variable \{\{serviceAccountName\}\} is not allowed/,
  ],
  [
    "users in a background policy",
    policy(`match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [admin]}]}\n${pattern}`),
    /invalid variable used at path: spec\/rules\[0\]\/match\/any\[0\]\/clusterRoles$/,
  ],
  [
    "targets outside of targets",
    policy(
      `${onPods}\ncontext: [{name: a, variable: {jmesPath: "target.data"}}]\nmutate: {targets: [{apiVersion: v1, kind: ConfigMap, name: x, namespace: b}], patchStrategicMerge: {data: {a: "{{ a }}"}}}`,
      "background: false",
    ),
    /"target" is not known/,
  ],
  [
    "existing objects without targets",
    policy(
      `${onPods}\nmutate: {mutateExistingOnPolicyUpdate: true, patchStrategicMerge: {metadata: {labels: {a: b}}}}`,
    ),
    /mutate\.targets has to be specified/,
  ],
  [
    "users where existing objects are changed on a policy's update",
    policy(
      `match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [admin]}]}\n${
        touches("mutateExistingOnPolicyUpdate: true,")
      }`,
      "background: false",
    ),
    /allowed in on policy update\. .* invalid variable used at path: spec\/rules\[0\]\/match\/any\[0\]\/clusterRoles$/,
  ],
  [
    "users where the policy says that existing objects are changed on its update",
    policy(
      `match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [admin]}]}\n${touches("")}`,
      "background: false\n  mutateExistingOnPolicyUpdate: true",
    ),
    /allowed in on policy update\. /,
  ],
  [
    "a target of a kind that is not served",
    policy(`${onPods}\n${touches("", "apiVersion: a.io/v1, kind: Pot")}`),
    /^rule r: failed to get GVR for kind a\.io\/v1\/Pot$/,
  ],
  [
    "a target whose kind has wildcards",
    policy(`${onPods}\n${touches("", 'apiVersion: apps/v1, kind: "Deploy*"')}`),
    /^rule r: failed to get GVR for kind apps\/v1\/Deploy\*$/,
  ],
  [
    "a target that is a subresource of every kind",
    policy(`${onPods}\n${touches("", 'apiVersion: apps/v1, kind: "*/scale"')}`),
    /^rule r: failed to get GVR for kind apps\/v1\/\*;/,
  ],
  [
    "a target of a kind that is not served in this group",
    policy(`${onPods}\n${touches("", "apiVersion: apps/v1, kind: ConfigMap/status")}`),
    /^rule r: failed to get GVR for kind apps\/v1\/ConfigMap$/,
  ],
  [
    "a Policy with a target in another namespace",
    policy(`${onPods}\n${touches("")}`, "", namespacedPolicy),
    /^spec\.rules\[0\]\.mutate\.targets\[0\]\.namespace: This field can be ignored or should have value of the namespace/,
  ],
  [
    "an anchor in a generated object",
    policy(
      generate("{apiVersion: v1, kind: ConfigMap, name: s, namespace: x, data: {data: [{'+(a)': b}]}}"),
    ),
    /: anchors not supported on generate resources: unsupported anchor \+\(a\)$/,
  ],
  [
    "a missing right",
    policy(generate("{apiVersion: v1, kind: Secret, name: s, namespace: x, data: {}}")),
    /no permissions to get,create v1\/Secret/,
  ],
  [
    "clones of two scopes are refused",
    policy(
      generate(
        "{namespace: x, synchronize: true, cloneList: {namespace: b, kinds: [v1/ConfigMap, rbac.authorization.k8s.io/v1/ClusterRole]}}",
      ),
    ),
    /namespaced and cluster-wide/,
  ],
  [
    "a cluster-wide custom kind in a Policy",
    policy(`match: {any: [{resources: {kinds: [a.io/v1/Realm]}}]}\n${pattern}`, "", namespacedPolicy),
    /^rule r: Cluster wide resource 'a\.io\/v1\/Realm' not allowed in namespaced policy \(make the policy a/,
  ],
  [
    "a filter without kinds",
    policy(`match: {any: [{resources: {names: [a]}}]}\n${pattern}`),
    /^spec\.rules\[0\]\.match\.any\[0\]: at least one element must be specified in a kind block \(name the kinds/,
  ],
  [
    "a Policy that makes cluster-wide objects",
    policy(
      `match: {any: [{resources: {kinds: [ConfigMap]}}]}\ngenerate: {namespace: team, cloneList: {namespace: team, kinds: [rbac.authorization.k8s.io/v1/ClusterRole]}}`,
      "",
      namespacedPolicy,
    ),
    /cannot generate cluster-wide/,
  ],
];
for (const [what, text, message] of refused) {
  Deno.test(`policy review refuses ${what}`, async () => {
    const { allowed, message: found } = await review("/policyvalidate", text);
    assert.equal(allowed, false);
    assert.match(found, message);
  });
}

Deno.test("the review of a text with more opened variables than a policy may have refuses it", async () => {
  const text = policy(
    `${onPods}\nvalidate: {message: "${"{{".repeat(200_000)}", pattern: {metadata: {name: a}}}`,
  );
  const { allowed, message } = await review("/policyvalidate", text);
  assert.equal(allowed, false);
  assert.match(message, /this is too large/);
});

Deno.test("policy review accepts a valid policy, and one that may generate", async () => {
  assert.deepEqual(await review("/policyvalidate", policy(`${onPods}\n${pattern}`)), {
    allowed: true,
    message: "",
    warnings: [],
  });
  const configMap = policy(generate("{apiVersion: v1, kind: ConfigMap, name: s, namespace: x, data: {}}"));
  assert.equal((await review("/policyvalidate", configMap)).allowed, true);
});

for (const kind of ["*", "*/*", "Pod/*", "P*"]) {
  Deno.test(`policy review accepts a policy about ${kind}, which the cluster serves`, async () => {
    const text = policy(`match: {any: [{resources: {kinds: ["${kind}"]}}]}\nvalidate: {deny: {}}`);
    const found = await review("/policyvalidate", text.replace("spec:", "spec:\n  background: false"));
    assert.deepEqual(found, { allowed: true, message: "", warnings: [] });
  });
}

Deno.test("a generated object needs the right to the resource: rights to a subresource do not count", async () => {
  const made = (kind: string) =>
    review(
      "/policyvalidate",
      policy(generate(`{apiVersion: v1, kind: ${kind}, name: s, namespace: x, data: {}}`)),
    );
  assert.equal((await made("ConfigMap/status")).allowed, true);
  assert.match(
    (await made("Secret/status")).message,
    /no permissions to get,create v1\/Secret/,
  );
});

const accepted: readonly (readonly [what: string, policy: string])[] = [
  [
    "users in a policy that changes no existing objects on its update",
    policy(
      `match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [admin]}]}\n${
        touches("mutateExistingOnPolicyUpdate: false,")
      }`,
      "background: false\n  mutateExistingOnPolicyUpdate: true",
    ),
  ],
  [
    "users where existing objects are changed on a policy's update without variables",
    policy(
      `match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [admin]}]}\n${
        touches("mutateExistingOnPolicyUpdate: true,").replace("{{ request.object.metadata.name }}", "b")
      }`,
      "background: false",
    ),
  ],
  [
    "the requesting user in a background policy that changes existing objects",
    policy(`${onPods}\n${touches("").replace("object.metadata.name", "userInfo.username")}`),
  ],
  ["a target in any version", policy(`${onPods}\n${touches("", 'apiVersion: "*", kind: ConfigMap')}`)],
  [
    "a target of a kind that is not served in a rule with loops",
    policy(
      `${onPods}\nmutate: {targets: [{apiVersion: a.io/v1, kind: Pot, name: x, namespace: b}], ` +
        "foreach: [{list: request.object.spec.containers, patchStrategicMerge: {data: {a: b}}}]}",
    ),
  ],
  [
    "a target whose kind has wildcards in a rule with loops",
    policy(
      `${onPods}\nmutate: {targets: [{apiVersion: apps/v1, kind: "Deploy*", name: x, namespace: b}], ` +
        "foreach: [{list: request.object.spec.containers, patchStrategicMerge: {data: {a: b}}}]}",
    ),
  ],
  [
    "a Policy with a target in its namespace",
    policy(`${onPods}\n${touches("").replace("namespace: other", "namespace: team")}`, "", namespacedPolicy),
  ],
];
for (const [what, text] of accepted) {
  Deno.test(`policy review accepts ${what}`, async () => {
    const { allowed, message } = await review("/policyvalidate", text);
    assert.deepEqual([allowed, message], [true, ""]);
  });
}

Deno.test("a deprecated operator gives a warning", async () => {
  const text = policy(
    `${onPods}\nvalidate: {deny: {conditions: {any: [{key: a, operator: NotIn, value: [b]}]}}}`,
  );
  const { allowed, warnings } = await review("/policyvalidate", text);
  assert.equal(allowed, true);
  assert.match(
    warnings[0]!,
    /^Operator NotIn has been deprecated and will be removed soon\. Use these instead: \["AllNotIn" "AnyNotIn"\]$/,
  );
});

for (
  const [what, targets, most] of [
    ["one kind nine hundred times", Array(900).fill("{apiVersion: v1, kind: ConfigMap, namespace: a}"), 3],
    [
      "targets in three hundred namespaces",
      Array.from({ length: 300 }, (_, index) => `{apiVersion: v1, kind: ConfigMap, namespace: n${index}}`),
      100,
    ],
  ] as const
) {
  Deno.test(`the review of a policy that names ${what} makes at most ${most} calls`, async () => {
    const before = calls.length;
    const mutate = `mutate: {targets: [${targets.join(", ")}], patchStrategicMerge: {data: {a: b}}}`;
    const { allowed, message } = await review("/policyvalidate", policy(`${onPods}\n${mutate}`));
    assert.equal(allowed, true, message);
    assert.ok(calls.length - before <= most, `${calls.length - before} calls`);
  });
}
