/** All rules of a request have a budget of steps together. Beyond it cheap rules still decide, and others are errors. */
import assert from "node:assert/strict";
import { evaluate, type Phase } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const classic = (name: string, rules: readonly Json[], failurePolicy = "Fail"): JsonObject => ({
  apiVersion: "kyverno.io/v1",
  kind: "ClusterPolicy",
  metadata: { name, annotations: { "pod-policies.kyverno.io/autogen-controllers": "none" } },
  spec: { validationFailureAction: "Enforce", failurePolicy, rules: [...rules] },
});

const rule = (name: string, validate: JsonObject): JsonObject => ({
  name,
  match: { any: [{ resources: { kinds: ["Pod"] } }] },
  validate: { message: "no", ...validate },
});

const denying = (key: string, value: Json): JsonObject => ({
  deny: { conditions: { any: [{ key, operator: "Equals", value }] } },
});

const inCel = (name: string, expression: string): JsonObject => ({
  apiVersion: "policies.kyverno.io/v1",
  kind: "ValidatingPolicy",
  metadata: { name },
  spec: {
    validationActions: ["Deny"],
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    },
    validations: [{ expression }],
  },
});

/** Some 1.3 million steps: the rule splits a text into 400,000. */
const heavy = denying("{{ length(split(request.object.spec.text, 'b')) }}", 7);
const heavyRules = (count: number): Json[] =>
  Array.from({ length: count }, (_, index) => rule(`heavy-${index}`, heavy));
const object = pod({
  text: "ab".repeat(400_000),
  list: Array.from({ length: 20_000 }, (_, index) => index),
  privileged: true,
});

const inSlices = () => {
  let time = 0;
  const scheduler = { sliceMilliseconds: 1, pause: () => Promise.resolve() };
  return { ...ports({}), clock: { now: () => time += 5 }, scheduler };
};

async function resultsOf(
  documents: readonly JsonObject[],
  used = ports({}),
  { phase = "validate", about = object }: { readonly phase?: Phase; readonly about?: JsonObject } = {},
) {
  const snapshot = policies(documents.map((each) => JSON.stringify(each)).join("\n---\n"));
  const decision = await evaluate(snapshot, request(about), { phase, rules: "all", ports: used });
  return { decision, rules: decision.results.flatMap(({ rules }) => rules) };
}

for (const [how, used] of [["at once", ports({})], ["in many slices", inSlices()]] as const) {
  Deno.test(`rules that take too many steps together are errors in the end, evaluated ${how}`, async () => {
    const { decision, rules } = await resultsOf([classic("heavy", heavyRules(100))], used);
    const done = rules.filter(({ result }) => result === "pass").length;
    assert.ok(done > 20 && done < 60, `${done} of 100 rules were evaluated`);
    const last = rules.at(-1)!;
    assert.equal(last.result, "error");
    assert.match(last.message, /^the request takes too many steps: its rules took \d+, and this rule/);
    assert.equal(decision.allowed, false);
  });
}

Deno.test("rules that look at few fields decide also after the steps of the request are used up", async () => {
  const { rules } = await resultsOf([
    classic("heavy", heavyRules(100), "Ignore"),
    classic("light", [
      rule("pattern", { pattern: { spec: { privileged: false } } }),
      rule("condition", denying("{{ request.object.spec.privileged }}", true)),
      rule("loop", {
        foreach: [{ list: "request.object.spec.list[:100]", ...denying("{{ element }}", 99) }],
      }),
    ]),
    inCel("light-cel", "!object.spec.privileged"),
  ]);
  assert.equal(rules.at(-5)?.result, "error");
  assert.deepEqual(rules.slice(-4).map(({ result }) => result), ["fail", "fail", "fail", "fail"]);
});

Deno.test("a loop ends that takes more than the few steps after those of the request", async () => {
  const loop = rule("loop", {
    foreach: [{
      list: "request.object.spec.list",
      ...denying("{{ to_string(request.object.spec.list[:50]) }}", 7),
    }],
  });
  const { rules } = await resultsOf([classic("heavy", [...heavyRules(100), loop])]);
  assert.equal(rules.at(-1)?.result, "error");
  assert.match(rules.at(-1)!.message, /^the request takes too many steps/);
});

Deno.test("policies in CEL take steps of the request, and those that cost much are errors in the end", async () => {
  const search = "object.spec.list.filter(x, x > 10).size() > 0";
  const costly = (index: number) =>
    inCel(`costly-${index}`, [search, search, search, `${index} >= 0`].join(" && "));
  const { rules } = await resultsOf(Array.from({ length: 400 }, (_, index) => costly(index)));
  assert.equal(rules[0]?.result, "pass");
  assert.equal(rules.at(-1)?.result, "error");
  assert.match(
    rules.at(-1)!.message,
    /the request takes too many steps, and this policy costs more than 25000/,
  );
});

Deno.test("assertion trees take steps of the rule", async () => {
  const tree = { assert: { object: { spec: { "(length(split(text, 'b')))": 7 } } } };
  const { rules } = await resultsOf([
    classic("trees", Array.from({ length: 100 }, (_, index) => rule(`tree-${index}`, tree))),
  ]);
  assert.equal(rules[0]?.result, "fail");
  assert.equal(rules.at(-1)?.result, "error");
});

const wide: JsonObject = {
  ...pod({
    text: "ab".repeat(400_000),
    containers: Array.from({ length: 2_000 }, (_, index) => ({ name: `c${index}`, image: "nginx" })),
  }),
  metadata: {
    name: "x",
    namespace: "default",
    labels: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`l${index}`, "x"])),
  },
};

const bodies: readonly (readonly [what: string, phase: Phase, body: JsonObject])[] = [
  ["Pod Security Standards take", "validate", {
    validate: { podSecurity: { level: "restricted", version: "latest" } },
  }],
  ["the search of images that are verified takes", "mutate", {
    verifyImages: [{
      imageReferences: ["example.com/*"],
      attestors: [{ entries: [{ keys: { publicKeys: "k8s://a/b" } }] }],
    }],
  }],
  ["merges into many labels take", "mutate", {
    mutate: { patchStrategicMerge: { metadata: { labels: { added: "yes" } } } },
  }],
];

for (const [what, phase, body] of bodies) {
  Deno.test(`${what} steps of the request`, async () => {
    const last = { name: "last", match: { any: [{ resources: { kinds: ["Pod"] } }] }, ...body };
    const key = "{{ length(split(request.object.spec.text, 'b')) }}";
    const former = Array.from({ length: 100 }, (_, index) => ({
      // The images of the former rules match, so that their preconditions are evaluated.
      ...JSON.parse(JSON.stringify(last).replace("example.com/*", "*")),
      name: `former-${index}`,
      preconditions: { all: [{ key, operator: "Equals", value: 7 }] },
    }));
    const options = { phase, about: wide };
    const { rules: [alone] } = await resultsOf([classic("alone", [last])], ports({}), options);
    assert.notEqual(alone?.result, "error", alone?.message);
    const { rules } = await resultsOf([classic("many", [...former, last])], ports({}), options);
    assert.equal(rules.at(-1)?.rule, "last");
    assert.match(rules.at(-1)!.message, /^the request takes too many steps/);
  });
}

Deno.test("exceptions that are tried one by one take steps of the request", async () => {
  const exceptions = Array.from({ length: 1_000 }, (_, index): JsonObject => ({
    apiVersion: "kyverno.io/v2",
    kind: "PolicyException",
    metadata: { name: `exception-${index}`, namespace: "default" },
    spec: {
      exceptions: [{ policyName: "many", ruleNames: ["last"] }],
      match: { any: [{ resources: { kinds: ["Pod"], names: [`*-${index}`] } }] },
    },
  }));
  const last = rule("last", { pattern: { spec: { privileged: true } } });
  const { rules: [alone] } = await resultsOf([classic("many", [last]), ...exceptions]);
  assert.equal(alone?.result, "pass", alone?.message);
  const { rules } = await resultsOf([classic("many", [...heavyRules(100), last]), ...exceptions]);
  assert.equal(rules.at(-1)?.rule, "last");
  assert.match(rules.at(-1)!.message, /^the request takes too many steps/);
});

Deno.test("other requests have their turns between the match conditions of policies", async () => {
  let pauses = 0;
  const scheduler = { sliceMilliseconds: 1, pause: () => Promise.resolve(void pauses++) };
  let time = 0;
  const used = { ...ports({}), clock: { now: () => time += 5 }, scheduler };
  const matchConditions = [{ name: "none", expression: "object.spec.list.exists(x, x < 0)" }];
  const conditional = Array.from({ length: 40 }, (_, index) => {
    const policy = classic(`conditional-${index}`, [rule("r", heavy)]);
    return {
      ...policy,
      spec: { ...policy["spec"] as JsonObject, webhookConfiguration: { matchConditions } },
    };
  });
  await resultsOf(conditional, used);
  assert.ok(pauses >= 40, `${pauses} pauses`);
});
