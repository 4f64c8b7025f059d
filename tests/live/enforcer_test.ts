/** The rounds in which webhooks are written. */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { asList, dig, field, type JsonObject, textField } from "../../lib/json/mod.ts";
import { Enforcer, type EnforcerOptions } from "../../lib/live/enforcer.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import { Timers } from "../../lib/live/timers.ts";
import type { ApiCall, ServedResource } from "../../lib/ports.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { installation, silent } from "./setting.ts";

/** Timers that run their tasks at once and note the waits. */
class NotedTimers extends Timers {
  readonly waits: number[] = [];

  override after(milliseconds: number, task: () => void): void {
    // Statuses wait less; the enforcer looks every ten seconds whether the authority changed.
    if (milliseconds < 2_000 || milliseconds === 10_000 || this.waits.length === 6) return;
    this.waits.push(milliseconds);
    queueMicrotask(task);
  }
}

/** An enforcer of an API server that refuses everything. */
function enforcerOf(options: Partial<EnforcerOptions> & { readonly timers: Timers }): Enforcer {
  const snapshot = compile([], { dialect: "current" });
  return new Enforcer({
    cluster: {
      call: () => Promise.resolve({ ok: false, status: 500, message: "failed" }),
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() }),
    },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [] }) },
    clock: systemClock(),
    log: silent,
    installation,
    leads: () => true,
    isBeingRemoved: () => Promise.resolve(false),
    snapshot: () => snapshot,
    configuration: () => readConfiguration(undefined, { namespace: "postern" }),
    objects: () => [],
    noticed: () => {},
    ...options,
  });
}

Deno.test("webhooks that cannot be written are tried again after waits that double", async () => {
  const timers = new NotedTimers(), enforcer = enforcerOf({ timers });
  enforcer.serve();
  while (timers.waits.length < 6) await new Promise((resolve) => setTimeout(resolve));
  await enforcer.close();
  assert.deepEqual(timers.waits, [
    2_000,
    4_000,
    8_000,
    16_000,
    30_000,
    30_000,
  ]);
});

/** Timers that run what waits less than two seconds at once, and nothing else. */
class PromptTimers extends Timers {
  override after(milliseconds: number, task: () => void): void {
    if (milliseconds < 2_000) queueMicrotask(task);
  }
}

const configMaps: ServedResource = {
  ...{ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
  ...{ verbs: ["create"], subresources: [], preferred: true },
};

/** Timers of which none ends. */
class EndlessTimers extends Timers {
  override after(): void {}
}

const classic = (name: number, spec = "") => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p${name}}
spec:
  ${spec}
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}
`;

const inCel = (name: number, spec = "") => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p${name}}
spec:
  ${spec}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.metadata.name != 'a'"}]
`;

const conditions = `matchConditions: [{name: c, expression: "object.metadata.name != 'b'"}]`;

const works: readonly (readonly [string, (name: number) => string])[] = [
  ["that share a webhook", classic],
  ["with match conditions", (name) => classic(name, `webhookConfiguration: {${conditions}}`)],
  ["in CEL", inCel],
  ["in CEL with match conditions", (name) => inCel(name, conditions)],
];

for (const [which, policy] of works) {
  Deno.test(`requests have turns while webhooks are made for policies ${which}`, async () => {
    const count = 30, text = Array.from({ length: count }, (_, index) => policy(index)).join("\n---\n");
    const snapshot = compile(parseDocuments(text, "p.yaml").documents);
    assert.deepEqual(snapshot.policies.length, count);
    let turns = 0;
    const written = Promise.withResolvers<ApiCall>();
    const enforcer = enforcerOf({
      timers: new EndlessTimers(),
      snapshot: () => snapshot,
      discovery: {
        resources: () =>
          Promise.resolve({
            ok: true,
            resources: [configMaps],
          }),
      },
      cluster: {
        call: (call) => {
          if (call.method === "POST" && JSON.stringify(call.body).includes("resource-validating")) {
            written.resolve(call);
          }
          return Promise.resolve({ ok: false, status: call.method === "GET" ? 404 : 500, message: "" });
        },
        resource: () => Promise.resolve(undefined),
      },
      scheduler: {
        sliceMilliseconds: 0,
        pause: () => {
          turns++;
          return Promise.resolve();
        },
      },
    });
    enforcer.serve();
    const { body } = await written.promise;
    await enforcer.close();
    assert.match(JSON.stringify(body), /configmaps/);
    assert.ok(turns >= count, `${turns} turns`);
  });
}

const webhookNames = ["validate.postern.svc-fail", "validate.postern.svc-fail-finegrained-p1"];

const refusals: readonly (readonly [what: string, reason: string, ready: readonly string[]])[] = [
  ["none of its webhooks", "", ["p0 True", "p1 True"]],
  ["one of its webhooks", "webhooks[1].matchConditions[0].expression: Invalid value", [
    "p0 True",
    "p1 False",
  ]],
  ["a configuration as a whole", "too large", ["p0 False", "p1 False"]],
];

for (const [what, reason, expected] of refusals) {
  Deno.test(`policies are ready as their webhooks are when the API server refuses ${what}`, async () => {
    const text = `${classic(0)}---${classic(1, `webhookConfiguration: {${conditions}}`)}`;
    const { documents } = parseDocuments(text, "p.yaml"), snapshot = compile(documents);
    const kind = policyObjectKinds.find(({ kind }) => kind === "ClusterPolicy")!;
    const ready: string[] = [], done = Promise.withResolvers<void>();
    const isRefused = (call: ApiCall): boolean => {
      const webhooks = asList(field(call.body, "webhooks")).map((each) => textField(each, "name"));
      return call.method === "POST" && reason !== "" && webhooks.join() === webhookNames.join();
    };
    const enforcer = enforcerOf({
      timers: new PromptTimers(),
      snapshot: () => snapshot,
      objects: () => documents.map(({ value }) => ({ kind, object: value as JsonObject })),
      discovery: { resources: () => Promise.resolve({ ok: true, resources: [configMaps] }) },
      cluster: {
        call(call) {
          if (call.method === "PATCH") {
            const [condition] = asList(dig(call.body ?? null, "status", "conditions"));
            ready.push(`${call.path.split("/").at(-2)} ${textField(condition, "status")}`);
            if (ready.length === 2) done.resolve();
          }
          if (call.method === "GET") return Promise.resolve({ ok: false, status: 404, message: "" });
          if (isRefused(call)) return Promise.resolve({ ok: false, status: 422, message: reason });
          return Promise.resolve({ ok: true, status: 200, body: call.body ?? {} });
        },
        resource: () => Promise.resolve(undefined),
      },
    });
    enforcer.serve();
    await done.promise;
    await enforcer.close();
    assert.deepEqual(ready.sort(), expected);
  });
}
