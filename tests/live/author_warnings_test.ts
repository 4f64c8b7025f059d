/** Warnings for the authors of policies that are stored, as Kyverno gives them. */
import assert from "node:assert/strict";
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, ServedResource } from "../../lib/ports.ts";
import { reviewer } from "./reviewer.ts";

function resource(group: string, kind: string, subresources: readonly string[] = []): ServedResource {
  return {
    group,
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
    verbs: [],
    subresources: subresources.map((name) => ({ name, kind })),
    preferred: true,
  };
}

const served = [
  resource("", "Pod", ["exec"]),
  resource("", "ConfigMap"),
  resource("apps", "DaemonSet"),
  resource("apps", "Deployment", ["scale"]),
];

function schemaOf(group: string, kind: string, properties: JsonObject): JsonObject {
  const type = { group, version: "v1", kind };
  return { type: "object", properties, "x-kubernetes-group-version-kind": [type] };
}

const text = { type: "string" };

/** The documents of OpenAPI that the API server publishes. */
const documents: Readonly<Record<string, JsonObject>> = {
  "/openapi/v3/apis/apps/v1": {
    DaemonSet: schemaOf("apps", "DaemonSet", { spec: { type: "object", properties: { paused: text } } }),
    Deployment: schemaOf("apps", "Deployment", {
      spec: { type: "object", properties: { replicas: { type: "integer" } } },
    }),
  },
  "/openapi/v3/api/v1": {
    ConfigMap: schemaOf("", "ConfigMap", { data: { type: "object", additionalProperties: text } }),
  },
};

const calls: ApiCall[] = [];

function reviews(call: (path: string) => Promise<Answer>): ObjectReviews {
  return new ObjectReviews({
    cluster: {
      call: (each) => {
        calls.push(each);
        return each.method === "POST" ? Promise.resolve(rights(each)) : call(each.path);
      },
      resource: () => Promise.resolve(undefined),
    },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    accounts: { background: "b", reports: "r", cleanup: "c" },
    compiling: { dialect: "current" },
    exceptionNamespace: "",
    roomProblem: () => undefined,
  });
}

/** An account may read all but DaemonSets and Pods' subresources, and may not change anything that exists. */
function rights(call: ApiCall): Answer {
  const attributes = dig(call.body ?? null, "spec", "resourceAttributes") ?? null;
  const verb = asString(dig(attributes, "verb")) ?? "", resource = asString(dig(attributes, "resource"));
  const allowed = !["update", "delete"].includes(verb) && resource !== "daemonsets" &&
    dig(attributes, "subresource") !== "exec";
  return { ok: true, status: 201, body: { status: { allowed } } };
}

async function document(path: string): Promise<Answer> {
  const schemas = documents[path];
  return schemas === undefined
    ? { ok: false, status: 404, message: "not found" }
    : { ok: true, status: 200, body: { components: { schemas } } };
}

const review = reviewer(reviews(document));

function policy(
  rule: string,
  { kind = "ClusterPolicy", annotation = "", spec = "background: false" } = {},
): string {
  return `apiVersion: kyverno.io/v1\nkind: ${kind}\nmetadata:\n  name: p\n  annotations: {${annotation}}\n` +
    `spec:\n  ${spec}\n  rules:\n  - name: r\n    ${rule.replaceAll("\n", "\n    ")}\n`;
}

function on(...kinds: string[]): string {
  return `match: {any: [{resources: {kinds: [${kinds.map((kind) => `"${kind}"`).join(", ")}]}}]}`;
}

const pattern = "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}";
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
  ["about a kind that is not served", policy(`${on("Pot")}\n${pattern}`), unserved("Pot")],
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
    "with the action of early versions in a rule",
    policy(`${on("Pod")}\n${pattern.replace("{", "{failureAction: audit, ")}`),
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

function cel(
  expressions: string,
  kinds: readonly string[] = ["Deployment", "Deployment/scale"],
  more = "",
): string {
  return policy(`${on(...kinds)}\nvalidate: {cel: {expressions: [${expressions}]${more}}}`);
}

const path = "spec.rules[0].validate.cel.expressions[0]";

const typed: readonly (readonly [what: string, policy: string, ...warnings: string[]])[] = [
  ["that fits", cel('{expression: "object.spec.replicas > 1"}')],
  [
    "with a field that the kind does not have",
    cel('{expression: "object.replicas > 1"}'),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'; | object.replicas > 1; | ......^;`,
  ],
  [
    "with two mistakes, in lines of their own",
    cel('{expression: "object.a == 1 ||\\n object.b == 1"}'),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'a'; | object.a == 1 ||; | ......^;` +
    "ERROR: <input>:2:8: undefined field 'b'; |  object.b == 1; | .......^;",
  ],
  [
    "for a message",
    cel(`{expression: "true", messageExpression: "'x' + object.spec.replicas"}`),
    `${path}.messageExpression:apps/v1, Kind=Deployment: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'; | 'x' + object.spec.replicas; | ....^;`,
  ],
  [
    "that fits one of two kinds",
    cel('{expression: "object.spec.replicas > 1"}', ["Deployment", "DaemonSet", "Deployment/scale"]),
    `${path}.expression:apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'; | object.spec.replicas > 1; | ...........^;`,
  ],
  [
    "with a variable of another type",
    cel(
      `{expression: "variables.count > '1'"}`,
      ["Deployment/scale", "Deployment"],
      ', variables: [{name: count, expression: "object.spec.replicas"}]',
    ),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:17: found no matching overload for '_>_' applied to '(int, string)'; | variables.count > '1'; | ................^;`,
  ],
  [
    "with a parameter of another type",
    cel(
      '{expression: "params.data.a == 1"}',
      ["Deployment"],
      ", paramKind: {apiVersion: v1, kind: ConfigMap}, paramRef: {name: a, parameterNotFoundAction: Allow}",
    ),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'; | params.data.a == 1; | ..............^;`,
  ],
  ["about a kind without a schema", cel('{expression: "object.a == 1"}', ["Pod"])],
  ["about every kind", cel('{expression: "object.a == 1"}', ["*"])],
];

for (const [what, text, ...warnings] of typed) {
  Deno.test(`an expression that does not fit the kind gives a warning: ${what}`, async () => {
    const found = await review("/policyvalidate", text);
    assert.equal(found.allowed, true, found.message);
    assert.deepEqual(found.warnings, warnings);
  });
}

Deno.test("an expression with hundreds of mistakes gives a warning with the first ones", async () => {
  const text = Array.from({ length: 300 }, () => "object.a == 1").join(" || ");
  const found = await review("/policyvalidate", cel(`{expression: "${text}"}`, ["Deployment", "DaemonSet"]));
  assert.equal(found.allowed, true, found.message);
  assert.equal(found.warnings.length, 1);
  assert.match(
    found.warnings[0]!,
    /expression:apps\/v1, Kind=DaemonSet: ERROR: <input>:1:7: undefined field 'a'; /,
  );
  assert.ok(found.warnings[0]!.length < 1_100, `${found.warnings[0]!.length}`);
});

Deno.test("heavy policies and parameters of kinds that are not served lead to no reading of schemas", async () => {
  const before = calls.length;
  const heavy = Array.from({ length: 600 }, () => '{expression: "object.a == 1"}').join(", ");
  assert.deepEqual((await review("/policyvalidate", cel(heavy))).warnings, []);
  const params =
    ", paramKind: {apiVersion: ../../../api/v1/secrets, kind: A}, paramRef: {name: a, parameterNotFoundAction: Allow}";
  await review("/policyvalidate", cel('{expression: "params.a == 1"}', ["Pod"], params));
  assert.deepEqual(
    calls.slice(before).map(({ path }) => path).filter((path) => path.includes("secrets")),
    [],
  );
});

Deno.test("schemas are read for rules with CEL alone, each document once", async () => {
  const readBy = async (text: string): Promise<string[]> => {
    const before = calls.length;
    await review("/policyvalidate", text);
    return calls.slice(before).map(({ path }) => path);
  };
  assert.deepEqual(await readBy(policy(`${on("Deployment")}\n${pattern}`)), []);
  assert.deepEqual(await readBy(cel('{expression: "true"}', ["Deployment", "DaemonSet"])), [
    "/openapi/v3/apis/apps/v1",
  ]);
});

Deno.test("a policy is stored without such warnings when the schemas do not come, or others read them", async () => {
  const text = cel('{expression: "object.a == 1"}');
  const failing = reviewer(reviews(() => Promise.resolve({ ok: false, status: 500, message: "busy" })));
  assert.deepEqual(await failing("/policyvalidate", text), { allowed: true, message: "", warnings: [] });
  const waiting = Promise.withResolvers<void>();
  const busy = reviewer(reviews(async (path) => {
    await waiting.promise;
    return await document(path);
  }));
  const reading = busy("/policyvalidate", text);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual((await busy("/policyvalidate", text)).warnings, []);
  waiting.resolve();
  assert.equal((await reading).warnings.length, 1);
});
