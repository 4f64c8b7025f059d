/** Cached values are read again when the system's clock is set back: by an hour, they would stay for an hour. */
import assert from "node:assert/strict";
import { AggregatedDiscovery } from "../../lib/adapters/aggregated_discovery.ts";
import { BearerToken } from "../../lib/adapters/bearer_token.ts";
import { SharedLoads } from "../../lib/adapters/shared_loads.ts";
import { CachedRights } from "../../lib/live/access_review.ts";
import type { Answer, Clock, Cluster } from "../../lib/ports.ts";

/** Makes a function that reads through a cache, and calls `loads` for each load. */
type Reading = (clock: Clock, loads: () => void) => () => Promise<unknown>;

function answering(body: Answer, loads: () => void): Cluster {
  const call = (): Promise<Answer> => {
    loads();
    return Promise.resolve(body);
  };
  return { call, resource: () => Promise.resolve(undefined) };
}

const readings: Readonly<Record<string, Reading>> = {
  "the file of a token": (clock, loads) => {
    const readText = (): Promise<string> => {
      loads();
      return Promise.resolve("token");
    };
    const token = new BearerToken({ file: "token", holds: 60_000, readText, clock });
    return () => token.current();
  },
  "the kinds of the API server": (clock, loads) => {
    const body: Answer = { ok: true, status: 200, body: { kind: "APIGroupDiscoveryList", items: [] } };
    let calls = 0;
    // Each look takes two calls.
    const discovery = new AggregatedDiscovery(answering(body, () => ++calls % 2 === 0 && loads()), clock);
    return () => discovery.resources();
  },
  "what several callers load": (clock, loads) => {
    const shared = new SharedLoads<string>({ clock, ttl: () => 60_000, sizeOf: () => 1, maxBytes: 100 });
    return () =>
      shared.get("key", () => {
        loads();
        return Promise.resolve("value");
      });
  },
  "whether an account has a right": (clock, loads) => {
    const body: Answer = { ok: true, status: 201, body: { status: { allowed: true } } };
    const rights = new CachedRights({ cluster: answering(body, loads), clock });
    return () => rights.review("a", { verb: "get", group: "", resource: "pods", namespace: "" });
  },
};
for (const [what, reading] of Object.entries(readings)) {
  Deno.test(`a clock that is set back does not keep ${what}`, async () => {
    let now = 10_000_000, loads = 0;
    const read = reading({ now: () => now }, () => void loads++);
    await read();
    now += 1_000;
    await read();
    assert.equal(loads, 1, "it is cached");
    now -= 3_600_000;
    await read();
    assert.equal(loads, 2);
  });
}
