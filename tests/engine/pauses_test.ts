/** Long requests let others work: the decision is the same, and the work stays in proportion to the request. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type Phase, type Snapshot } from "../../lib/engine/mod.ts";
import { asList, dig, field, type Json, type JsonObject } from "../../lib/json/mod.ts";
import type { Ports } from "../../lib/ports.ts";
import { pod, policies, ports, request } from "./ports.ts";
import { processorTime } from "../support/processor_time.ts";

const objects: Readonly<Record<string, JsonObject>> = {
  "/api/v1/namespaces/default": { metadata: { labels: { team: "a" } } },
  "/api/v1/nodes": { items: [{ metadata: { name: "n1" } }] },
};

/** Ports on which every look at the clock finds the slice used up. */
function hurried(): { ports: Ports; pauses: () => number } {
  let time = 0, pauses = 0;
  const scheduler = { sliceMilliseconds: 1, pause: () => Promise.resolve(void pauses++) };
  return { ports: { ...ports(objects), clock: { now: () => time += 5 }, scheduler }, pauses: () => pauses };
}

/** A Pod with containers that each have two ports. */
function large(containers: number): JsonObject {
  return pod({
    containers: Array.from({ length: containers }, (_, index): Json => ({
      name: `c${index}`,
      image: index % 3 === 0 ? "nginx:latest" : "nginx:1.27",
      ports: [{ containerPort: 8000 + index % 100 }, { containerPort: 80, name: "web" }],
      ...(index % 5 === 0 && { resources: { limits: { memory: "1Gi" } } }),
    })),
  });
}

function mutation(foreach: readonly JsonObject[], rule: JsonObject = {}): Snapshot {
  return policy({ name: "change", ...rule, mutate: { foreach } });
}

function policy(...rules: readonly JsonObject[]): Snapshot {
  const match = { any: [{ resources: { kinds: ["Pod"] } }] };
  return policies(JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "long", annotations: { "pod-policies.kyverno.io/autogen-controllers": "none" } },
    spec: { rules: rules.map((rule, index) => ({ name: `r${index}`, match, ...rule })) },
  }));
}

const add = (path: string, value: Json): string => JSON.stringify([{ op: "add", path, value }]);
const containers = "request.object.spec.containers";
const team = {
  name: "team",
  apiCall: { urlPath: "/api/v1/namespaces/default", jmesPath: "metadata.labels.team" },
};
const lateTeam = { name: "node", apiCall: { urlPath: "/api/v1/nodes", jmesPath: "items[0].metadata.name" } };

const cases: readonly (readonly [what: string, phase: Phase, snapshot: Snapshot])[] = [
  [
    "JSON patches of the elements of a list",
    "mutate",
    mutation([{ list: containers, patchesJson6902: add("/spec/containers/{{elementIndex}}/tty", true) }]),
  ],
  [
    "JSON patches with preconditions, that remove what they find",
    "mutate",
    mutation([{
      list: containers,
      order: "Descending",
      preconditions: { all: [{ key: "{{element.image}}", operator: "Equals", value: "*:latest" }] },
      patchesJson6902: '[{"op": "remove", "path": "/spec/containers/{{elementIndex}}"}]',
    }]),
  ],
  [
    "merges of the elements of a list",
    "mutate",
    mutation([{
      list: containers,
      patchStrategicMerge: { spec: { containers: [{ name: "{{element.name}}", stdin: true }] } },
    }]),
  ],
  [
    "loops inside loops",
    "mutate",
    mutation([{
      list: containers,
      foreach: [{
        list: "element.ports",
        patchesJson6902: add("/spec/containers/{{elementIndex0}}/ports/{{elementIndex1}}/protocol", "TCP"),
      }, {
        list: `${containers}[0].ports`,
        patchesJson6902: add("/metadata/annotations/{{element.containerPort}}", "seen"),
      }],
    }]),
  ],
  [
    "several loops, with values that are loaded inside them",
    "mutate",
    mutation([
      {
        list: containers,
        context: [team],
        patchesJson6902: add("/spec/containers/{{elementIndex}}/env", [{ name: "T", value: "{{team}}" }]),
      },
      {
        list: containers,
        context: [lateTeam],
        preconditions: { all: [{ key: "{{node}}", operator: "Equals", value: "n1" }] },
        patchesJson6902: add("/metadata/labels/l{{elementIndex}}", "{{element.env[0].value}}"),
      },
    ], { context: [{ name: "unused", variable: { value: "{{ random('[a-z]{3}') }}" } }] }),
  ],
  [
    "checks of the elements of a list",
    "validate",
    policy(
      { validate: { message: "no", foreach: [{ list: containers, pattern: { image: "nginx:*" } }] } },
      {
        validate: {
          message: "no",
          foreach: [{
            list: containers,
            foreach: [{ list: "element.ports", pattern: { containerPort: "<8090" } }],
          }],
        },
      },
      {
        context: [team],
        validate: {
          message: "not {{ element.name }} of {{ team }}",
          foreach: [{
            list: containers,
            context: [lateTeam],
            deny: {
              conditions: {
                all: [{ key: "{{element.name}}-{{node}}", operator: "Equals", value: "c399-n1" }],
              },
            },
          }],
        },
      },
    ),
  ],
  [
    "many rules",
    "validate",
    policy(...Array.from({ length: 40 }, (_, index) => ({
      validate: { message: `no ${index}`, pattern: { spec: { containers: [{ image: "nginx:?*" }] } } },
    }))),
  ],
];

async function decide(snapshot: Snapshot, phase: Phase, ports: Ports): Promise<Decision> {
  return await evaluate(snapshot, request(large(400)), { phase, ports });
}

for (const [what, phase, snapshot] of cases) {
  Deno.test(`pauses change nothing of ${what}`, async () => {
    assert.deepEqual(snapshot.diagnostics.filter(({ severity }) => severity === "error"), []);
    const { ports: paused, pauses } = hurried();
    const [expected, actual] = [
      await decide(snapshot, phase, ports(objects)),
      await decide(snapshot, phase, paused),
    ];
    assert.ok(pauses() > 5, `${pauses()} pauses`);
    assert.deepEqual(actual.object, expected.object);
    assert.deepEqual(actual.patch, expected.patch);
    assert.deepEqual(actual.results, expected.results);
    assert.equal(actual.allowed, expected.allowed);
    if (phase === "mutate") {
      assert.ok(expected.patch.length > 0, String(expected.results[0]?.rules[0]?.message));
    } else assert.ok(!expected.allowed || expected.results.length > 0);
  });
}

Deno.test("an ordinary request never pauses", () => {
  const { ports: paused } = hurried();
  const patient = { ...paused, clock: { now: () => 0 } };
  const decision = evaluate(cases[0]![2], request(large(20)), { phase: "mutate", ports: patient });
  assert.ok(!(decision instanceof Promise));
});

Deno.test("a long loop ends at the request's deadline, pauses or not", async () => {
  const { ports: paused } = hurried();
  const [, phase, snapshot] = cases[0]!;
  const { results } = await evaluate(snapshot, request(large(5_000)), { phase, ports: paused, budget: 100 });
  assert.match(results[0]!.rules[0]!.message, /the request's deadline passed inside foreach/);
});

Deno.test("patches of 20,000 elements of a list are applied in time", async () => {
  const object = large(20_000);
  const started = processorTime();
  const decision = await evaluate(cases[0]![2], request(object), { phase: "mutate", ports: ports() });
  assert.equal(decision.patch.length, 1, "20,000 operations are told as one");
  assert.equal(field(asList(dig(decision.object, "spec", "containers"))[19_999], "tty"), true);
  // A list that is copied for each of its elements would take minutes.
  assert.ok(processorTime() - started < 20_000);
});

/** A scheduler whose lanes are crowded: an evaluation waits until `let` lets it begin. */
function crowded() {
  const turn = Promise.withResolvers<void>(), lanes: string[] = [];
  const scheduler = {
    sliceMilliseconds: 1_000,
    pause: () => Promise.resolve(),
    begin: (lane = "") => (lanes.push(lane), turn.promise),
  };
  return { scheduler, lanes, turn };
}

const denied = policy({ validate: { message: "no", deny: {} } });

Deno.test("a request of a namespace in which many take long waits for its turn, and is decided then", async () => {
  const { scheduler, lanes, turn } = crowded();
  let time = 0;
  const clock = { now: () => time };
  const decision = evaluate(denied, request(pod({})), {
    phase: "validate",
    rules: "all",
    ports: { ...ports({}), clock, scheduler },
    budget: 10_000,
  });
  assert.ok(decision instanceof Promise);
  assert.deepEqual(lanes, ["default"]);
  time = 9_000;
  turn.resolve();
  assert.equal((await decision).results[0]?.rules[0]?.result, "fail");
});

Deno.test("a request whose time is over before its turn comes is not evaluated", async () => {
  const { scheduler, turn } = crowded();
  const controller = new AbortController();
  const decision = evaluate(denied, request(pod({})), {
    phase: "validate",
    rules: "all",
    ports: { ...ports({}), scheduler },
    deadline: () => controller.signal,
  });
  controller.abort();
  turn.resolve();
  const [rule] = (await decision).results[0]!.rules;
  assert.equal(rule?.result, "error");
  assert.match(rule.message, /deadline passed before this rule/);
});
