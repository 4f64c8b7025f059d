/** The rounds in which webhooks are written. */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { Enforcer, type EnforcerOptions } from "../../lib/live/enforcer.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import { Timers } from "../../lib/live/timers.ts";
import type { ApiCall } from "../../lib/ports.ts";
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
            resources: [{
              ...{ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
              ...{ verbs: ["create"], subresources: [], preferred: true },
            }],
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
