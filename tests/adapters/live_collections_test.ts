/** Collections of a running cluster: when the first list is there, and what refusals mean for those who wait for it. */
import assert from "node:assert/strict";
import { type FollowedCluster, LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { metadataOnly } from "../../lib/kube/mod.ts";
import type { Answer, ApiCall, WatchOptions } from "../../lib/ports.ts";
import { countingEntropy } from "./fakes.ts";

const refusal = (status: number): Answer => ({ ok: false, status, message: "no" });

const list = (names: readonly string[], token: string): Answer => ({
  ok: true,
  status: 200,
  body: {
    kind: "PodList",
    apiVersion: "v1",
    metadata: { resourceVersion: "9", continue: token },
    items: names.map((name) => ({ metadata: { name, namespace: "default", resourceVersion: "1" } })),
  },
});

const refusals: readonly [what: string, answers: readonly Answer[], names: readonly string[]][] = [
  ["429 at the first page: the API server is busy", [refusal(429), list(["a"], "")], ["a"]],
  ["429 at a later page", [list(["a"], "2"), refusal(429), list(["a"], "2"), list(["b"], "")], ["a", "b"]],
  ["410 at a later page: the list is too old to go on", [
    list(["a"], "2"),
    refusal(410),
    list(["a", "b"], ""),
  ], ["a", "b"]],
  ["503: it starts", [refusal(503), list(["a"], "")], ["a"]],
  ["404: the kind is not served yet", [refusal(404), list(["a"], "")], []],
  ["403: the kind may not be read", [refusal(403), list(["a"], "")], []],
];

for (const [what, answers, names] of refusals) {
  Deno.test(`a collection is synced with all objects, or without any when there are none to have: ${what}`, async () => {
    const left = [...answers];
    const cluster: FollowedCluster = {
      call: () => Promise.resolve(left.shift() ?? refusal(403)),
      resource: () => Promise.resolve(undefined),
      follow: (_path, signal) =>
        Promise.resolve({
          ok: true,
          // deno-lint-ignore require-yield -- a watch on which nothing happens
          lines: (async function* () {
            if (signal.aborted) return;
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          })(),
        }),
    };
    const collections = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy() });
    const seen: string[] = [];
    const collection = collections.watch("/api/v1/pods", ({ object }) => {
      seen.push(String((object?.["metadata"] as Record<string, unknown>)["name"]));
    });
    await collection.synced;
    assert.deepEqual(seen.sort(), names);
    await collection.close();
  });
}

const watches: readonly (readonly [options: WatchOptions, accept: string | undefined])[] = [
  [{}, undefined],
  [{ changes: "metadata" }, metadataOnly],
];
for (const [options, accept] of watches) {
  Deno.test(`a collection lists whole objects, and watches ${accept === undefined ? "whole objects" : "their metadata"}`, async () => {
    const watched = Promise.withResolvers<string | undefined>();
    const listed: ApiCall[] = [];
    const cluster: FollowedCluster = {
      call: (call) => (listed.push(call), Promise.resolve(list(["a"], ""))),
      resource: () => Promise.resolve(undefined),
      follow: (_path, _signal, accept) => {
        watched.resolve(accept);
        return Promise.resolve({ ok: false, status: 410, message: "gone" });
      },
    };
    const collections = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy() });
    const collection = collections.watch("/api/v1/pods", () => {}, options);
    assert.equal(await watched.promise, accept);
    assert.equal(listed[0]?.accept, undefined);
    await collection.close();
  });
}
