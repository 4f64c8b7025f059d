/** Postern denies storing a broken policy, and a broken object of the kinds that belong to policies. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Cluster, ServedResource } from "../../lib/ports.ts";
import { reviewer } from "./reviewer.ts";

function resource(group: string, kind: string, namespaced = true): ServedResource {
  const plural = kind === "NetworkPolicy" ? "networkpolicies" : `${kind.toLowerCase()}s`;
  return {
    group,
    version: "v1",
    kind,
    plural,
    namespaced,
    verbs: [],
    subresources: kind === "Pod"
      ? [{ name: "exec", kind: "PodExecOptions" }]
      : kind === "ConfigMap" || kind === "Secret"
      ? [{ name: "status", kind }]
      : [],
    preferred: true,
  };
}

const served = [
  resource("", "Pod"),
  resource("", "ConfigMap"),
  resource("", "Secret"),
  resource("", "Namespace", false),
  resource("rbac.authorization.k8s.io", "ClusterRole", false),
  resource("a.io", "Realm", false),
];

/** The calls to the cluster so far. */
const calls: ApiCall[] = [];

/**
 * A cluster where accounts may write ConfigMaps, the Secret `old` and those of `granted`, and nothing else; `r` may
 * read all.
 */
const cluster: Cluster = {
  call: (call: ApiCall): Promise<Answer> => {
    calls.push(call);
    const attributes = dig(call.body ?? null, "spec", "resourceAttributes") ?? null;
    const resource = dig(attributes, "resource");
    const isWhole = dig(attributes, "subresource") === undefined;
    const mayReport = dig(call.body ?? null, "spec", "user") === "r";
    const allowed = mayReport || resource === "configmaps" && isWhole ||
      resource === "secrets" &&
        (dig(attributes, "name") === "old" || dig(attributes, "namespace") === "granted");
    return Promise.resolve({ ok: true, status: 201, body: { status: { allowed } } });
  },
  resource: () => Promise.resolve(undefined),
};

const reviews = new ObjectReviews({
  cluster,
  discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
  accounts: {
    background: "system:serviceaccount:kyverno:background",
    reports: "r",
    cleanup: "system:serviceaccount:kyverno:cleanup",
  },
  compiling: { dialect: "current" },
  exceptionNamespace: "team",
  roomProblem: (object) => nameOf(object) === "one-too-many" ? "there is no room" : undefined,
});

const review = reviewer(reviews);

function policy(rule: string, spec = "", head = "kind: ClusterPolicy\nmetadata: {name: p}"): string {
  return `apiVersion: kyverno.io/v1\n${head}\nspec:\n  ${spec}\n  rules:\n  - name: r\n    ${
    rule.replaceAll("\n", "\n    ")
  }\n`;
}

const onPods = "match: {any: [{resources: {kinds: [Pod]}}]}";
const pattern = "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}";
const generate = (text: string) => `match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: ${text}`;
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
    /^rule r: context variables are not supported for CEL expressions in validate rules$/,
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

const stale = "no synchronization will be performed to the old target resource upon policy updates: " +
  "changes in the generate rule pattern could result in stale targets";
const generates = generate(
  "{apiVersion: v1, kind: ConfigMap, name: s, namespace: x, synchronize: true, data: {data: {a: b}}}",
);
const once = generates.replace("synchronize: true", "synchronize: false");
const loops = generates.replace("{apiVersion", "{foreach: [{list: a, apiVersion").replace("}}}", "}}}]}")
  .replace(" synchronize: true,", "");
const updates: readonly (readonly [what: string, former: string, rule: string, found: RegExp | string])[] = [
  ["may change the data", generates, generates.replace("a: b", "a: c"), ""],
  ["may change synchronize", generates, once, ""],
  ["must keep the name", generates, `${generates}\nname: other`, /immutable fields/],
  ["must keep the match", generates, generates.replace("[Namespace]", "[Pod]"), /immutable fields/],
  [
    "may change the match of a rule that does not synchronize",
    once,
    generates.replace("[Namespace]", "[Pod]"),
    "",
  ],
  ["must keep the context", once, `${once}\ncontext: [{name: a, variable: {value: b}}]`, /immutable fields/],
  [
    "must keep the exclude block",
    once,
    `${once}\nexclude: {any: [{resources: {kinds: [Pod]}}]}`,
    /immutable/,
  ],
  ["may move the target", generates, generates.replace("namespace: x", "namespace: z"), stale],
  [
    "may move the target and change the match",
    generates,
    generates.replace("namespace: x", "namespace: z").replace("[Namespace]", "[Pod]"),
    stale,
  ],
  ["may move the targets of loops", loops, loops.replace("namespace: x", "namespace: z"), ""],
];
for (const [what, former, rule, found] of updates) {
  Deno.test(`an update of a generate rule ${what}`, async () => {
    const named = (text: string): string =>
      policy(text.replace(/\nname: .*/, "")).replace(
        "name: r\n",
        `name: ${/\nname: (.*)/.exec(text)?.[1] ?? "r"}\n`,
      );
    const { allowed, message, warnings } = await review("/policyvalidate", named(rule), named(former));
    if (typeof found === "string") {
      assert.deepEqual([allowed, message, warnings], [true, "", found === "" ? [] : [found]]);
    } else assert.match(message, found);
  });
}

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

/** An exception with one condition. */
function celException(expression: string): string {
  return `apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: team}
spec: {policyRefs: [{name: p, kind: MutatingPolicy}], matchConditions: [{name: c, expression: "${expression}"}]}`;
}

const others: readonly (readonly [what: string, path: string, text: string, message: RegExp | undefined])[] =
  [
    [
      "an exception by user for background scans",
      "/exceptionvalidate",
      "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {match: {any: [{subjects: [{kind: User, name: u}]}]}, exceptions: []}",
      /has no user/,
    ],
    [
      "an exception by user at admission",
      "/exceptionvalidate",
      "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {background: false, match: {any: [{subjects: [{kind: User, name: u}]}]}, exceptions: []}",
      undefined,
    ],
    [
      "an exception in CEL without policies",
      "/celexception/validate",
      "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {policyRefs: []}",
      /at least one policy/,
    ],
    [
      "an exception in CEL from an unknown kind",
      "/celexception/validate",
      "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {policyRefs: [{name: p, kind: ClusterPolicy}]}",
      /policyRefs\[0\]\.kind: "ClusterPolicy" is none of/,
    ],
    [
      "an exception in CEL",
      "/celexception/validate",
      "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec: {policyRefs: [{name: p, kind: NamespacedValidatingPolicy}]}",
      undefined,
    ],
    [
      "an exception in CEL whose expressions can be evaluated",
      "/celexception/validate",
      celException("object.metadata.name == 'a' && request.operation == 'CREATE'"),
      undefined,
    ],
    [
      "an exception in CEL with a variable of a policy that may come later",
      "/celexception/validate",
      celException("variables.x == 1").replace("MutatingPolicy", "DeletingPolicy"),
      undefined,
    ],
    [
      "an exception in CEL with an invalid expression",
      "/celexception/validate",
      celException("object.metadata.name =="),
      /matchConditions\[0\]\.expression.*Syntax error/s,
    ],
    [
      "an exception in CEL with an unknown function",
      "/celexception/validate",
      celException("object.frobnicate()"),
      /undeclared reference to 'frobnicate'/,
    ],
    [
      "an exception in CEL whose expression gives no bool",
      "/celexception/validate",
      celException("1 + 1"),
      /must give bool/,
    ],
    [
      "an entry without a source",
      "/globalcontextvalidate",
      "apiVersion: kyverno.io/v2beta1\nkind: GlobalContextEntry\nmetadata: {name: g}\nspec: {}",
      /either kubernetesResource or apiCall/,
    ],
    [
      "data without a POST",
      "/globalcontextvalidate",
      "apiVersion: kyverno.io/v2beta1\nkind: GlobalContextEntry\nmetadata: {name: g}\nspec: {apiCall: {urlPath: /x, data: [{key: a, value: b}]}}",
      /only sent with method POST/,
    ],
    [
      "an invalid schedule",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: 'at six', match: {any: []}}",
      /not a cron schedule/,
    ],
    [
      "a cleanup by role",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '* * * * *', match: {any: [{clusterRoles: [a]}]}}",
      /users and roles/,
    ],
    [
      "a cleanup without the right",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '*/5 * * * *', match: {any: [{resources: {kinds: [Pod]}}]}}",
      /no permission to list, delete kind Pod/,
    ],
    [
      "a cleanup of the one object that it may delete",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [Secret], names: [old]}}]}}",
      undefined,
    ],
    [
      "a cleanup of another object too",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [Secret], names: [old, new]}}]}}",
      /no permission to list, delete kind Secret/,
    ],
    [
      "a cleanup of every kind",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: ['*']}}]}}",
      /names its kinds, not \*/,
    ],
    [
      "a cleanup of nothing",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {}}",
      undefined,
    ],
    [
      "a cleanup of subresources",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [ConfigMap/status]}}]}}",
      /deletes whole objects, not ConfigMap\/status/,
    ],
    [
      "a cleanup of a kind that is not served",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [Foo]}}]}}",
      /failed to get GVR for kind Foo/,
    ],
    [
      "a cleanup with a condition that cannot be read",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [ConfigMap]}}]}, conditions: {all: [{key: '{{ target.metadata.name[ }}', operator: Equals, value: a}]}}",
      /target\.metadata\.name\[/,
    ],
    [
      "a cleanup with conditions about its target",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [ConfigMap]}}]}, conditions: {all: [{key: '{{ target.metadata.name }}', operator: Equals, value: a}]}}",
      undefined,
    ],
    [
      "a cleanup of a namespace that names another one",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: CleanupPolicy\nmetadata: {name: c, namespace: team}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [ConfigMap], namespaces: [b]}}]}}",
      /cannot name namespaces/,
    ],
    [
      "a cleanup of a namespace about cluster-wide objects",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: CleanupPolicy\nmetadata: {name: c, namespace: team}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [Namespace]}}]}}",
      /Namespace.*cluster-wide/,
    ],
    [
      "a cleanup with the right in its namespace alone",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: CleanupPolicy\nmetadata: {name: c, namespace: granted}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [Secret]}}]}}",
      undefined,
    ],
    [
      "a cleanup whose schedule has a year",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '0 0 1 1 * 2028', match: {any: [{resources: {kinds: [ConfigMap]}}]}}",
      /5 fields/,
    ],
    [
      "a cleanup with the right",
      "/cleanupvalidate",
      "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: c}\nspec: {schedule: '@hourly', match: {any: [{resources: {kinds: [ConfigMap]}}]}}",
      undefined,
    ],
  ];

for (const [what, path, text, message] of others) {
  Deno.test(`object review: ${what}`, async () => {
    const { allowed, message: found } = await review(path, text);
    assert.equal(allowed, message === undefined, found);
    if (message !== undefined) assert.match(found, message);
  });
}

/** A policy of policies.kyverno.io about ConfigMaps. */
const celPolicy = (kind: string, spec: string): string =>
  `apiVersion: policies.kyverno.io/v1\nkind: ${kind}\nmetadata: {name: p${
    kind.startsWith("Namespaced") ? ", namespace: team" : ""
  }}\nspec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], ` +
  `resources: [configmaps]}]}, ${spec}}`;

const condition = "matchConditions: [{name: a, expression: object.x}]";
/** The spec of a policy in CEL, and the end of its refusal; `undefined` when it is stored. */
const untyped: readonly (readonly [what: string, kind: string, spec: string, type: string | undefined])[] = [
  [
    "a condition",
    "DeletingPolicy",
    "schedule: '@hourly', conditions: [{name: a, expression: object.x}]",
    "bool",
  ],
  [
    "a compared condition",
    "DeletingPolicy",
    "schedule: '@hourly', conditions: [{name: a, expression: object.x == 1}]",
    undefined,
  ],
  ["a validation", "ValidatingPolicy", "validations: [{expression: object.x}]", "bool"],
  ["a converted validation", "ValidatingPolicy", "validations: [{expression: bool(object.x)}]", undefined],
  [
    "a validation that is a variable",
    "ValidatingPolicy",
    "variables: [{name: x, expression: object.x}], validations: [{expression: variables.x}]",
    "bool",
  ],
  [
    "a message",
    "ValidatingPolicy",
    "validations: [{expression: 'true', messageExpression: object.x}]",
    "string",
  ],
  ["a match condition", "ValidatingPolicy", `validations: [{expression: 'true'}], ${condition}`, "bool"],
  [
    "an audit annotation",
    "ValidatingPolicy",
    "validations: [{expression: 'true'}], auditAnnotations: [{key: a, valueExpression: object.x}]",
    "string or null_type",
  ],
  [
    "a patch",
    "MutatingPolicy",
    "mutations: [{patchType: JSONPatch, jsonPatch: {expression: object.x}}]",
    "list\\(JSONPatch\\)",
  ],
  [
    "an apply configuration",
    "MutatingPolicy",
    "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: object.x}}]",
    "Object",
  ],
  ["a generation", "GeneratingPolicy", "generate: [{expression: object.x}]", "bool"],
  [
    "an image reference",
    "ImageValidatingPolicy",
    "matchImageReferences: [{expression: dyn(true)}], validations: [{expression: 'true'}]",
    "bool",
  ],
  [
    "the key of an attestor",
    "ImageValidatingPolicy",
    "matchImageReferences: [{glob: '*'}], attestors: [{name: a, cosign: {key: {expression: object.x}}}], validations: [{expression: 'true'}]",
    undefined,
  ],
];
for (const [what, kind, spec, type] of untyped) {
  Deno.test(`policy review ${type === undefined ? "takes" : "refuses"} ${what} of an unknown type: ${kind}`, async () => {
    const { allowed, message } = await review("/policyvalidate", celPolicy(kind, spec));
    assert.equal(allowed, type === undefined, message);
    if (type !== undefined) {
      assert.match(message, new RegExp(`output is expected to be (?:either )?of type ${type},`));
    }
  });
}

const calling: readonly (readonly [kind: string, spec: string])[] = [
  ["ValidatingPolicy", `validations: [{expression: "http.Get('http://a') != null"}]`],
  ["ValidatingPolicy", `validations: [{expression: "http.Client('x').Get('http://a') != null"}]`],
  [
    "DeletingPolicy",
    `schedule: '@hourly', conditions: [{name: a, expression: "http.Get('http://a') != null"}]`,
  ],
  [
    "MutatingPolicy",
    `variables: [{name: a, expression: "http.Get('http://a')"}], ` +
    "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]",
  ],
];
for (const [kind, spec] of calling) {
  Deno.test(`policy review refuses a policy of a namespace that calls a service: ${spec}`, async () => {
    const found = await review("/policyvalidate", celPolicy(`Namespaced${kind}`, spec));
    assert.equal(found.message, "spec: Forbidden: http.* is not allowed in namespaced policies");
    assert.equal((await review("/policyvalidate", celPolicy(kind, spec))).message, "");
  });
}

const configMaps = "{any: [{resources: {kinds: [ConfigMap]}}]}";
const matching = (resources: string) => `match: {any: [{resources: {${resources}}}]}`;
const onConfigMaps = `match: ${configMaps}`;
const excluding = (resources: string) => `${onConfigMaps}, exclude: {any: [{resources: {${resources}}}]}`;
/** The spec of a cleanup policy, and the beginning of its refusal; `undefined` when it is stored. */
const cleanups:
  readonly (readonly [what: string, spec: string, message: RegExp | undefined, kind?: string])[] = [
    [
      "a ConfigMap in its context",
      `${onConfigMaps}, context: [{name: a, variable: {value: b}}, {name: x, configMap: {name: a, namespace: b}}]`,
      /^spec\.context\[1\]: ConfigMap is not allowed in CleanUp Policy$/,
    ],
    [
      "an image in its context",
      `${onConfigMaps}, context: [{name: x, imageRegistry: {reference: a}}]`,
      /^spec\.context\[0\]: ImageRegistry is not allowed in CleanUp Policy$/,
    ],
    [
      "a call in its context",
      `${onConfigMaps}, context: [{name: x, apiCall: {urlPath: /api/v1/nodes}}]`,
      undefined,
    ],
    [
      "any and all",
      `match: {any: [{resources: {kinds: [ConfigMap]}}], all: [{resources: {kinds: [ConfigMap]}}]}`,
      /^spec\.match: Can't specify any and all together$/,
    ],
    [
      "name and names",
      matching("kinds: [ConfigMap], name: a, names: [b]"),
      /^spec\.match\.any\[0\]: Both name and names can not be specified together$/,
    ],
    [
      "an empty selector to exclude",
      excluding("selector: {}"),
      /^spec\.exclude\.any\[0\]\.selector: The requirements are not specified in selector$/,
    ],
    [
      "an invalid selector",
      matching("kinds: [ConfigMap], selector: {matchLabels: {a b: c}}"),
      /Invalid value: "a b": name part must consist of/,
    ],
    [
      "a selector with wildcards",
      matching("kinds: [ConfigMap], selector: {matchLabels: {'a*': 'b?'}}"),
      undefined,
    ],
    ["wildcards in its kind", matching("kinds: ['Config*']"), /^failed to get GVR for kind Config\*/],
    ["a wildcard in the version", matching("kinds: ['*/ConfigMap']"), undefined],
    [
      "nothing left",
      `${onConfigMaps}, exclude: ${configMaps}`,
      /^spec: CleanupPolicy is matching an empty set$/,
    ],
    ["an empty list to exclude", `${onConfigMaps}, exclude: {any: []}`, /matching an empty set$/],
    ["nothing to exclude", `${onConfigMaps}, exclude: {}`, undefined],
    ["others to exclude", excluding("kinds: ['*'], names: [kept]"), undefined],
    [
      "a list of conditions",
      `${onConfigMaps}, conditions: [{key: a, operator: Equals, value: a}]`,
      /^spec\.conditions: /,
    ],
    [
      "namespaces to exclude",
      excluding("namespaces: [b]"),
      /^a CleanupPolicy is about its own namespace/,
      "CleanupPolicy",
    ],
    [
      "cluster-wide kinds to exclude",
      excluding("kinds: [Namespace]"),
      /^Namespace is a cluster-wide kind/,
      "CleanupPolicy",
    ],
    ["every kind to exclude", excluding("kinds: ['*'], names: [kept]"), undefined, "CleanupPolicy"],
  ];
for (const [what, spec, message, kind = "ClusterCleanupPolicy"] of cleanups) {
  Deno.test(`policy review of a cleanup ${message === undefined ? "takes" : "refuses"} ${what}: ${kind}`, async () => {
    const metadata = `{name: c${kind === "CleanupPolicy" ? ", namespace: team" : ""}}`;
    const text =
      `apiVersion: kyverno.io/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: {schedule: '@hourly', ${spec}}`;
    const { allowed, message: found } = await review("/cleanupvalidate", text);
    assert.equal(allowed, message === undefined, found);
    if (message !== undefined) assert.match(found, message);
  });
}

for (const length of [63, 64]) {
  Deno.test(`policy review of a cleanup ${length > 63 ? "refuses" : "takes"} a name of ${length} characters`, async () => {
    const text =
      `apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: ${"c".repeat(length)}}\n` +
      `spec: {schedule: '@hourly', ${onConfigMaps}}`;
    const { message } = await review("/cleanupvalidate", text);
    assert.equal(message, length > 63 ? "metadata.name: Too long: may not be more than 63 bytes" : "");
  });
}

for (const path of ["/exceptionvalidate", "/celexception/validate"]) {
  Deno.test(`an exception outside the namespace for exceptions gives a warning: ${path}`, async () => {
    const text = path === "/exceptionvalidate"
      ? "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: team}\nspec: {match: {}, exceptions: []}"
      : celException("true");
    assert.deepEqual((await review(path, text)).warnings, []);
    assert.deepEqual((await review(path, text.replace("namespace: team", "namespace: x"))).warnings, [
      "only exceptions in namespace team have an effect",
    ]);
  });
}

Deno.test("an unreadable time to live in the label gives a warning", async () => {
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {cleanup.kyverno.io/ttl: soon}}";
  const { allowed, warnings } = await review("/verifyttl", text);
  assert.equal(allowed, true);
  assert.match(warnings[0]!, /failed to parse the ttl label "soon"/);
});

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
  const path of ["/exceptionvalidate", "/celexception/validate", "/globalcontextvalidate", "/cleanupvalidate"]
) {
  Deno.test(`${path} refuses an object that is too large before it compiles it`, async () => {
    const object = {
      apiVersion: "kyverno.io/v2",
      kind: "X",
      metadata: { name: "x" },
      spec: { a: Array(11_000).fill("b") },
    };
    const { allowed, message } = await review(path, JSON.stringify(object));
    assert.equal(allowed, false);
    assert.match(message, /^the spec has more than 10000 values/);
  });
}

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

const onesTooMany: readonly (readonly [path: string, text: string])[] = [
  ["/policyvalidate", policy(`${onPods}\n${pattern}`)],
  ["/exceptionvalidate", "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: p}\nspec: {}\n"],
  [
    "/celexception/validate",
    "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: p}\nspec: {}\n",
  ],
  ["/cleanupvalidate", "apiVersion: kyverno.io/v2\nkind: CleanupPolicy\nmetadata: {name: p}\nspec: {}\n"],
];
for (const [path, text] of onesTooMany) {
  Deno.test(`a policy that has no room in memory is refused before it is stored: ${path}`, async () => {
    const { allowed, message } = await review(path, text.replace("name: p", "name: one-too-many"));
    assert.deepEqual([allowed, message], [false, "there is no room"]);
  });
}

Deno.test("an object with a TTL label needs no room", async () => {
  const text =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: one-too-many, labels: {cleanup.kyverno.io/ttl: 1h}}\n";
  assert.equal((await review("/verifyttl", text)).allowed, true);
});
