/** When the API server can reach a replica, so that webhooks may be written. */
import assert from "node:assert/strict";
import { untilReachable } from "../../lib/install/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import type { Answer } from "../../lib/ports.ts";

const slices = (...ready: boolean[]): Json => ({
  items: [{ endpoints: ready.map((each) => ({ conditions: { ready: each } })) }],
});

interface Row {
  readonly what: string;
  readonly service: Answer;
  /** One for each look; the last one stays. */
  readonly looks: readonly (Json | undefined)[];
  readonly looked: number;
}

const found = (type: string): Answer => ({ ok: true, status: 200, body: { spec: { type } } });

const rows: readonly Row[] = [
  { what: "three checks find it ready", service: found("ClusterIP"), looks: [slices(true)], looked: 3 },
  {
    what: "checks without an answer do not count",
    service: found("ClusterIP"),
    looks: [slices(), slices(true), slices(false), slices(true)],
    looked: 6,
  },
  {
    what: "a failed check starts the count again",
    service: found("ClusterIP"),
    looks: [slices(true), slices(true), undefined, slices(true)],
    looked: 6,
  },
  { what: "an ExternalName has no endpoints", service: found("ExternalName"), looks: [], looked: 0 },
  {
    what: "the Service does not exist",
    service: { ok: false, status: 404, message: "not found" },
    looks: [],
    looked: 0,
  },
];

for (const { what, service, looks, looked } of rows) {
  Deno.test(`webhooks wait for a ready replica: ${what}`, async () => {
    const left = [...looks];
    let count = 0;
    const problems: string[] = [];
    const isReachable = await untilReachable({
      cluster: {
        call: ({ path }): Promise<Answer> => {
          if (path === "/api/v1/namespaces/gate/services/postern") return Promise.resolve(service);
          count++;
          const body = left.length > 1 ? left.shift() : left[0];
          return Promise.resolve(
            body === undefined
              ? { ok: false, status: 500, message: "away" }
              : { ok: true, status: 200, body },
          );
        },
        resource: () => Promise.resolve(undefined),
      },
      log: { write: (_, message) => void problems.push(message) },
      service: { namespace: "gate", name: "postern" },
      signal: new AbortController().signal,
      every: 1,
    });
    assert.equal(isReachable, true);
    assert.equal(count, looked);
    assert.equal(problems.length, looks.includes(undefined) ? 1 : 0);
  });
}

Deno.test("the wait for a ready replica ends when Postern stops", async () => {
  const stop = new AbortController();
  const waiting = untilReachable({
    cluster: {
      call: ({ path }) =>
        Promise.resolve(
          path.includes("endpointslices") ? { ok: true, status: 200, body: slices() } : found("ClusterIP"),
        ),
      resource: () => Promise.resolve(undefined),
    },
    log: { write: () => {} },
    service: { namespace: "gate", name: "postern" },
    signal: stop.signal,
  });
  stop.abort();
  assert.equal(await waiting, false);
});
