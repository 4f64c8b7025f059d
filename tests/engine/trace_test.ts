/** A trace records how a decision is made, and changes nothing about it. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type RuleTrace, type Snapshot, Trace } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";
import { pod, policies, ports, request } from "./ports.ts";

/** Ports whose API server takes 40 ms for each answer, on a clock that only moves for it. */
function slowPorts(answers: Readonly<Record<string, JsonObject>>): Ports {
  const quick = ports(answers);
  let now = 0;
  return {
    ...quick,
    clock: { now: () => now },
    cluster: {
      ...quick.cluster,
      call: async (call): Promise<Answer> => {
        const answer = await quick.cluster.call(call);
        now += 40;
        return answer;
      },
    },
  };
}

async function traced(
  snapshot: Snapshot,
  object: JsonObject,
  fake: Ports = ports(),
): Promise<{ decision: Decision; trace: Trace; rules: ReadonlyMap<string, RuleTrace> }> {
  const trace = new Trace(fake.clock);
  const decision = await evaluate(snapshot, request(object), { phase: "validate", ports: fake, trace });
  return { decision, trace, rules: new Map(trace.rules.map((one) => [one.rule, one])) };
}

const configMap = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`;

const twoThatLoad = policies(
  ["first", "second"].map((name) =>
    `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - {name: unused, configMap: {name: unused, namespace: default}}
    - {name: map, configMap: {name: ${name}, namespace: default}}
    - {name: size, variable: {jmesPath: "length(map.data)"}}
    preconditions: {all: [{key: "{{ size }}", operator: Equals, value: 1}]}
    validate: {message: refused, deny: {conditions: {all: [{key: "{{ map.data.mode }}", operator: Equals, value: closed}]}}}
`
  ).join(""),
);

const maps = {
  [configMap("first")]: { data: { mode: "on" }, metadata: {} },
  [configMap("second")]: { data: { mode: "off" }, metadata: {} },
};

Deno.test("a trace has the entries that each rule read, with size and time", async () => {
  const { rules, trace } = await traced(twoThatLoad, pod(), slowPorts(maps));
  for (const name of ["first", "second"]) {
    const entries = rules.get(name)!.steps.flatMap((step) => step.kind === "entry" ? [step.entry] : []);
    assert.deepEqual(entries.map((entry) => [entry.name, entry.state]), [["map", "read"], ["size", "read"]]);
    const [map, size] = entries;
    assert.deepEqual(map!.loads.map(({ key }) => key), [`ConfigMap default/${name}`]);
    assert.equal(map!.bytes, JSON.stringify(maps[configMap(name)]).length);
    assert.ok(map!.milliseconds >= 40, `${map!.milliseconds} ms`);
    assert.equal(size!.bytes, 1);
    assert.equal(rules.get(name)!.attempts, 2);
  }
  assert.deepEqual(trace.loads.map(({ key }) => key), [
    "ConfigMap default/first",
    "ConfigMap default/second",
  ]);
});

Deno.test("a trace has the cause of an entry that failed", async () => {
  const { rules } = await traced(twoThatLoad, pod(), slowPorts({}));
  const entry = rules.get("first")!.steps.find((step) => step.kind === "entry");
  assert.ok(entry?.kind === "entry");
  assert.equal(entry.entry.state, "failed");
  assert.match(entry.entry.failure!, /failed to get configmap default\/first : not found/);
});

Deno.test("a trace has conditions with their operands resolved, in the order of evaluation", async () => {
  const { rules } = await traced(twoThatLoad, pod(), slowPorts(maps));
  const conditions = rules.get("second")!.steps.flatMap((step) =>
    step.kind === "condition"
      ? [[step.owner, step.condition.key, step.condition.value, step.condition.result]]
      : []
  );
  assert.deepEqual(conditions, [["preconditions", 1, 1, true], ["deny", "off", "closed", false]]);
});

const labels = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  validationFailureAction: Enforce
  rules:
  - name: image
    match: {any: [{resources: {kinds: [Deployment]}}, {resources: {kinds: [Pod]}}]}
    exclude: {any: [{resources: {namespaces: [kube-system]}}]}
    validate: {message: refused, pattern: {spec: {containers: [{image: "!*:latest"}]}}}
  - name: others
    match: {any: [{resources: {kinds: [Service]}}]}
    validate: {message: refused, deny: {}}
`);
const latest = pod({ containers: [{ name: "app", image: "a:1" }, { name: "sidecar", image: "b:latest" }] });

Deno.test("a trace has clauses with their index, and the wanted and found values of each", async () => {
  const { rules } = await traced(labels, latest);
  const { match, exclude, selection } = rules.get("image")!.selection!;
  assert.equal(selection.selected, true);
  assert.deepEqual(match.map(({ path, holds, criterion }) => [path, holds, criterion]), [
    ["match.any[0]", false, "kinds"],
    ["match.any[1]", true, undefined],
  ]);
  assert.deepEqual(exclude.map(({ path, holds, wanted, found }) => [path, holds, wanted, found]), [
    ["exclude.any[0]", false, ["kube-system"], "default"],
  ]);
});

Deno.test("a trace has path, values and container of a pattern that fails", async () => {
  const { rules } = await traced(labels, latest);
  const { steps } = rules.get("image")!;
  const step = steps.find(({ kind }) => kind === "pattern");
  assert.ok(step?.kind === "pattern");
  const { steps: path, expected, actual, element } = step.pattern;
  assert.deepEqual(path, ["spec", "containers", 1, "image"]);
  assert.deepEqual([expected, actual, element], ["!*:latest", "b:latest", "sidecar"]);
});

Deno.test("a trace includes the rules that the index passes over", async () => {
  const { rules } = await traced(labels, { ...latest, kind: "Secret" });
  assert.equal(rules.get("others")!.selection!.selection.selected, false);
  assert.deepEqual(rules.get("others")!.results, []);
});

Deno.test("a trace does not change the decision", async () => {
  for (const [snapshot, fake] of [[labels, ports()], [twoThatLoad, ports(maps)]] as const) {
    const { decision } = await traced(snapshot, latest, fake);
    const untraced = await evaluate(snapshot, request(latest), { phase: "validate", ports: fake });
    assert.deepEqual(decision, untraced);
  }
});

Deno.test("a trace marks the empty text that stands for a variable without a value", async () => {
  const { rules } = await traced(
    policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: classic}
spec:
  rules:
  - name: rule
    match: {any: [{resources: {kinds: [Pod]}}]}
    preconditions: {all: [{key: "{{ request.object.metadata.labels.team }}", operator: NotEquals, value: a}]}
    validate: {message: refused, deny: {}}
`),
    pod({}, { labels: {} }),
  );
  const step = rules.get("rule")!.steps.find(({ kind }) => kind === "condition");
  assert.ok(step?.kind === "condition");
  assert.equal(step.condition.key, "");
  assert.match(step.condition.unresolved!.join(), /Unknown key "team" in path/);
});

Deno.test("a trace has the changes of each mutating rule, and the rules that were not reached", async () => {
  const fake = ports();
  const trace = new Trace(fake.clock);
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  applyRules: One
  # Without names there would be generated rules too.
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod], names: ["*"]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {team: a}}}}
  - name: other
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {other: b}}}}
`);
  await evaluate(snapshot, request(pod({}, { labels: { app: "web" } })), {
    phase: "mutate",
    ports: fake,
    trace,
  });
  assert.deepEqual(trace.rules.map(({ rule, passedOverBy, changes }) => [rule, passedOverBy, changes]), [
    ["team", undefined, [{ op: "add", path: "/metadata/labels/team", value: "a" }]],
    ["other", "applyRules", []],
  ]);
});

Deno.test("a trace names the rules for which the decision denies, whatever failurePolicy the policy has", async () => {
  const erring = (name: string, failurePolicy: string): string =>
    `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: Enforce
  failurePolicy: ${failurePolicy}
  rules:
  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: refused, pattern: {metadata: {name: "{{ request.object.metadata.absent }}"}}}
`;
  const inCel = `---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: in-cel}
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
  validations: [{expression: "object.spec.absent == 'x'"}]
`;
  const cases: readonly [policies: string, refusing: readonly string[]][] = [
    [erring("strict", "Fail") + erring("lenient", "Ignore"), ["lenient", "strict"]],
    [erring("lenient", "Ignore"), []],
    [inCel, ["in-cel"]],
  ];
  for (const [text, expected] of cases) {
    const { decision, trace } = await traced(policies(text), pod());
    assert.deepEqual(decision.denying.map(({ policy }) => policy.key), expected);
    assert.deepEqual(trace.rules.filter(({ denies }) => denies).map(({ policy }) => policy.key), expected);
    assert.equal(decision.allowed, expected.length === 0);
  }
});
