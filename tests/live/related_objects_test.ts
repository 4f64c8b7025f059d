/** Postern denies storing a broken object of the kinds that belong to policies, such as exceptions. */
import assert from "node:assert/strict";
import { onPods, pattern, policy, review } from "./admission_reviews.ts";

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
