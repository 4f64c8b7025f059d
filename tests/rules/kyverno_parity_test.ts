/** Behaviour of rules that exists only because Kyverno has it. */
import assert from "node:assert/strict";
import { evaluate, type Phase } from "../../lib/engine/mod.ts";
import { asList, dig, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { rewriteMutation } from "../../lib/rules/policy_kinds/mutation_autogen.ts";
import { compilePodSecurity } from "../../lib/rules/pod_security/mod.ts";
import { decideImages, podOf, policy as imagePolicy } from "./verify_images/setting.ts";
import { pod, policies, ports, request } from "../engine/ports.ts";

/** The result of a rule about Pods, and the object after it. */
async function answerOf(
  rule: string,
  { object = pod(), phase = "validate" }: { readonly object?: JsonObject; readonly phase?: Phase } = {},
): Promise<{ readonly answers: readonly string[]; readonly object: JsonObject | undefined }> {
  const snapshot = policies(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    ${rule}
`,
    { dialect: "current" },
  );
  const decision = await evaluate(snapshot, request(object), { phase, ports: ports() });
  const rules = decision.results.flatMap((each) => each.rules);
  return { answers: rules.map(({ result, message }) => `${result} ${message}`), object: decision.object };
}

const containers = pod({ containers: [{ name: "a", image: "x" }, { name: "b", image: "y" }] });
const never = "{all: [{key: a, operator: Equals, value: b}]}";
const unresolved = '{all: [{key: "{{ element.none.such }}", operator: Equals, value: b}]}';

const validations: readonly (readonly [title: string, rule: string, answers: readonly string[]])[] = [
  [
    "a message of a deny rule without a value leaves the message of the condition, as it is written",
    'validate: {message: "{{ request.object.none }}", deny: {conditions: {all: [{key: a, operator: Equals, ' +
    'value: a, message: "of {{ request.object.none }}"}]}}}',
    ["fail of {{ request.object.none }}"],
  ],
  [
    "a foreach rule over a missing list has no result",
    "validate: {message: m, foreach: [{list: request.object.spec.none, pattern: {image: y}}]}",
    [],
  ],
  [
    "a foreach rule over a list that cannot be computed is an error",
    "validate: {message: m, foreach: [{list: 'length(`1`)', pattern: {image: y}}]}",
    ["error failed to evaluate list: "],
  ],
  [
    "a foreach rule over an entry that cannot be loaded says why",
    "context: [{name: labels, configMap: {name: none, namespace: a}}]\n    " +
    "validate: {message: m, foreach: [{list: labels.data, pattern: {image: y}}]}",
    ["error failed to evaluate list: failed to "],
  ],
  [
    "a foreach rule over an entry that reads a missing field has no result",
    "context: [{name: l, variable: {jmesPath: request.object.spec.none}}]\n    " +
    "validate: {message: m, foreach: [{list: 'l[].x', pattern: {image: y}}]}",
    [],
  ],
  [
    "a foreach rule over an entry with a text whose variable is missing has no result",
    'context: [{name: l, variable: {value: "{{ request.object.spec.none }}"}}]\n    ' +
    "validate: {message: m, foreach: [{list: l, deny: {}}]}",
    [],
  ],
  [
    "a foreach rule over an entry without a value is an error",
    "context: [{name: l, variable: {jmesPath: 'request.object.spec.none[]'}}]\n    " +
    "validate: {message: m, foreach: [{list: l, deny: {}}]}",
    ["error failed to evaluate list: failed to add context entry for variable l since it evaluated to nil"],
  ],
  [
    "an element whose preconditions cannot be evaluated is skipped",
    `validate: {message: m, foreach: [{list: request.object.spec.containers, preconditions: ${unresolved}, ` +
    `deny: {}}, {list: request.object.spec.containers, deny: {conditions: ${never}}}]}`,
    ["pass rule passed"],
  ],
  [
    "the pattern of a foreach rule is compared with an element that is an object",
    "validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {name: '?'}}]}",
    ["pass rule passed"],
  ],
  [
    "the pattern of a foreach rule is compared with an element that is an empty object",
    "validate: {message: m, foreach: [{list: '`[{}]`', pattern: {metadata: {name: '?*'}}}]}",
    ["fail validation failure: validation error: m. rule r failed at path /metadata/"],
  ],
  [
    "with elementScope false the pattern of a foreach rule is compared with the object",
    "validate: {message: m, foreach: [{list: request.object.spec.containers, elementScope: false, " +
    "pattern: {metadata: {name: web}}}]}",
    ["pass rule passed"],
  ],
  [
    "without a scope of its own, the pattern of a nested loop is compared as one of the loop around it",
    "validate: {message: m, foreach: [{list: request.object.spec.containers, foreach: " +
    "[{list: \"['x']\", pattern: {name: '?'}}, {list: '[element]', elementScope: false, pattern: {name: '?'}}]}]}",
    ["pass rule passed"],
  ],
];

for (const [title, rule, expected] of validations) {
  Deno.test(title, async () => {
    const { answers } = await answerOf(rule, { object: containers });
    assert.equal(answers.length, expected.length, answers.join());
    expected.forEach((answer, index) => assert.ok(answers[index]!.startsWith(answer), answers.join()));
  });
}

Deno.test("merges of a foreach rule go backwards, so that new elements keep their order", async () => {
  const entry = "list: \"['1', '2']\", patchStrategicMerge: {spec: {containers: [{name: '{{ element }}'}]}}";
  const named = async (order: string): Promise<readonly Json[]> => {
    const rule = `mutate: {foreach: [{${order}${entry}}]}`;
    const { object } = await answerOf(rule, { object: containers, phase: "mutate" });
    return asList(dig(object!, "spec", "containers")).map((each) => dig(each, "name")!);
  };
  assert.deepEqual(await named(""), ["1", "2", "a", "b"]);
  assert.deepEqual(await named("order: Ascending, "), ["2", "1", "a", "b"]);
});

Deno.test("of an object with a label that is no text, all labels count as absent when labels are added", async () => {
  const labels = { team: "red", odd: 1 };
  const rule = "generate: {apiVersion: v1, kind: ConfigMap, name: made, namespace: default, " +
    `data: {metadata: {labels: ${JSON.stringify(labels)}}}}`;
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${rule}}]
`);
  const { effects } = await evaluate(snapshot, request(pod()), {
    phase: "generate",
    ports: ports(),
    absent: ["downstream"],
  });
  assert.equal(dig(effects[0]?.object ?? {}, "metadata", "labels", "team"), undefined);
});

Deno.test("pod autogen of a mutation moves labels, annotations and the spec, and leaves JSON patches alone", () => {
  const expression = "Object{spec: Object.spec{hostPID: object.metadata.name == object.metadata.labels.a}}";
  const jsonPatch = { expression: '[JSONPatch{op: "add", path: "/spec/a", value: object.spec.b}]' };
  const variables = [{ name: "v", expression: "object.spec.a" }];
  const spec = {
    variables,
    matchConditions: [{ name: "m", expression: "object.spec.a == object.metadata.namespace" }],
    mutations: [{ applyConfiguration: { expression } }, { jsonPatch }],
  };
  assert.deepEqual(rewriteMutation(spec, "spec.template"), {
    variables,
    matchConditions: [{ name: "m", expression: "object.spec.template.spec.a == object.metadata.namespace" }],
    mutations: [
      {
        applyConfiguration: {
          expression: "Object{spec: Object.spec{template: Object.spec.template{spec: " +
            "Object.spec.template.spec{hostPID: object.metadata.name == object.spec.template.metadata.labels.a}}}}",
        },
      },
      { jsonPatch },
    ],
  });
});

/** The violations of a Pod that are left by one exclusion, as `control path`. */
function leftBy(spec: JsonObject, exclude: JsonObject): readonly string[] {
  const compiled = compilePodSecurity(
    { level: "restricted", version: "latest", exclude: [exclude] },
    "kyverno",
  );
  assert.ok(!isFault(compiled));
  const verdict = compiled.check(pod(spec));
  assert.ok(!isFault(verdict));
  return verdict.violations.flatMap(({ control, fields }) => fields.map(({ path }) => `${control} ${path}`));
}

const bare = (name: string): JsonObject => ({ name, image: `r.io/${name}` });

Deno.test("an exclusion without images takes away the first missing setting of a container", () => {
  const left = leftBy({ containers: [bare("a"), bare("b")] }, { controlName: "Running as Non-root" });
  assert.deepEqual(left.filter((each) => each.startsWith("runAsNonRoot")), [
    "runAsNonRoot spec.containers[1].securityContext.runAsNonRoot",
  ]);
});

Deno.test("an exclusion by image does not reach the settings of the Pod", () => {
  const spec = { securityContext: { runAsNonRoot: false }, containers: [bare("a")] };
  const left = leftBy(spec, { controlName: "Running as Non-root", images: ["r.io/a"] });
  assert.deepEqual(left.filter((each) => each.startsWith("runAsNonRoot")), [
    "runAsNonRoot spec.securityContext.runAsNonRoot",
  ]);
});

Deno.test("the control of hosts in probes names no fields", () => {
  const compiled = compilePodSecurity({ level: "baseline", version: "latest", exclude: [] }, "kyverno");
  assert.ok(!isFault(compiled));
  const probe = { livenessProbe: { httpGet: { host: "10.0.0.1", port: 80 } } };
  const verdict = compiled.check(pod({ containers: [{ ...bare("a"), ...probe }] }));
  assert.ok(!isFault(verdict));
  assert.deepEqual(verdict.violations.map(({ control, fields }) => [control, fields]), [[
    "hostProbesAndHostLifecycle",
    [],
  ]]);
});

Deno.test("privilege escalation that is not set is reported as the found value nil", () => {
  const compiled = compilePodSecurity({ level: "restricted", version: "latest", exclude: [] }, "kyverno");
  assert.ok(!isFault(compiled));
  const verdict = compiled.check(
    pod({ containers: [{ ...bare("a"), securityContext: { privileged: false } }] }),
  );
  assert.ok(!isFault(verdict));
  const escalation = verdict.violations.find(({ control }) => control === "allowPrivilegeEscalation");
  assert.deepEqual(escalation?.fields.map((each) => "found" in each && each.found), ["nil"]);
});

Deno.test("the validate phase reports the first image that is not verified alone", async () => {
  const text = imagePolicy(
    '[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [{keys: {publicKeys: A}}]}]}]',
  );
  const { rows } = await decideImages(text, podOf(["r.io/one:v1", "r.io/two:v1"]), { phase: "validate" });
  assert.deepEqual(rows, ["fail missing digest for r.io/one:v1"]);
});

Deno.test("podSecurity: the level privileged allows all in the dialect classic, and is checked as restricted in the dialect current", async () => {
  const settings = "{level: privileged, version: latest, exclude: [{controlName: Running as Non-root}]}";
  const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - {name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {podSecurity: ${settings}}}
`;
  const secured = (capabilities: Json): JsonObject =>
    pod({
      containers: [{ name: "a", securityContext: { allowPrivilegeEscalation: false, capabilities } }],
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    });
  const result = async (dialect: "classic" | "current", object: JsonObject) => {
    const decision = await evaluate(policies(text, { dialect }), request(object), {
      phase: "validate",
      ports: ports(),
    });
    return decision.results.flatMap(({ rules }) => rules.map(({ result }) => result)).join();
  };
  assert.deepEqual([await result("classic", secured({})), await result("current", secured({}))], [
    "pass",
    "fail",
  ]);
  assert.equal(await result("current", secured({ drop: ["ALL"] })), "pass");
});

Deno.test("podSecurity: without a level all controls are checked in the dialect current", async () => {
  const { rules } = await validated(
    "{podSecurity: {version: v1.30}}",
    pod({ hostPID: true, containers: [] }),
    "current",
  );
  assert.match(
    rules.join(),
    /^fail Validation rule 'r' failed\. It violates PodSecurity ":v1\.30": .*hostPID/,
  );
});

Deno.test("{{@}} of a pattern skips two steps of the pattern in the dialect current", async () => {
  const object = { ...pod({ nodeName: "spare" }), name: "w" };
  const rows = async (validate: string, dialect: "classic" | "current") =>
    (await validated(validate, object, dialect)).rules.join();
  const pattern = "{pattern: {spec: {x: {name: 'n{{ @ }}'}}}}";
  assert.match(await rows(pattern, "current"), /^fail validation error/);
  assert.match(
    await rows(pattern, "classic"),
    /^error variable substitution failed: failed to resolve request\.object\.spec\.x\.name at path \/spec\/x\/name:/,
  );
  assert.match(
    await rows("{anyPattern: [{kind: Pod}, {spec: {nodeName: '{{ @ }}'}}]}", "current"),
    /^error .* at path \/1\/spec\/nodeName: .*Unknown key "nodeName"/,
  );
});

/** The results of a rule for a created object. */
async function validated(validate: string, object: JsonObject, dialect: "classic" | "current") {
  const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - {name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: ${validate}}
`;
  const decision = await evaluate(policies(text, { dialect }), request(object), {
    phase: "validate",
    ports: ports(),
  });
  return {
    rules: decision.results.flatMap(({ rules }) =>
      rules.map(({ result, message }) => `${result} ${message}`)
    ),
  };
}
