/** After an outage of the API server, collections are listed and watched again as soon as it answers anybody. */
import assert from "node:assert/strict";
import { type FollowedCluster, LiveCollections, Recovery, systemClock } from "../../lib/adapters/mod.ts";
import type { Answer, Entropy } from "../../lib/ports.ts";
import { fakeServer } from "./fake_server.ts";
import { connect, found, path } from "./live_trials.ts";

const refusal = (status: number): Answer => ({ ok: false, status, message: "no" });

const list: Answer = {
  ok: true,
  status: 200,
  body: {
    kind: "PodList",
    apiVersion: "v1",
    metadata: { resourceVersion: "9" },
    items: [{ metadata: { name: "a", namespace: "default", resourceVersion: "1" } }],
  },
};

/** Pauses of 40 minutes before an attempt, and none behind an answer. */
function longPauses(): { entropy: Entropy; recovery: Recovery } {
  return { entropy: { next: () => 5_000 }, recovery: new Recovery({ next: () => 0 }) };
}

const noAnswers: readonly (readonly [what: string, answer: Answer])[] = [
  ["no answer", { ok: false, status: undefined, message: "connection refused" }],
  ["a proxy's answer", refusal(502)],
];
for (const [what, failure] of noAnswers) {
  Deno.test(`a collection is listed again as soon as the API server answers anybody after an outage: ${what}`, async () => {
    const { entropy, recovery } = longPauses();
    const answers = [failure, list];
    const failed = Promise.withResolvers<void>();
    const cluster: FollowedCluster = {
      call: () => {
        failed.resolve();
        return Promise.resolve(answers.shift()!);
      },
      resource: () => Promise.resolve(undefined),
      follow: () => Promise.resolve({ ok: false, status: 410, message: "gone" }),
    };
    const collection = new LiveCollections({ cluster, clock: systemClock(), entropy, recovery }).watch(
      "/api/v1/pods",
      () => {},
    );
    await failed.promise;
    await turns();
    recovery.answered();
    await collection.synced;
    assert.equal(collection.objects().length, 1);
    await collection.close();
  });
}

Deno.test("a collection is listed again when its watch breaks with the server and it answers again", async () => {
  const { entropy, recovery } = longPauses();
  let opened = 0;
  const reopened = Promise.withResolvers<void>();
  const cluster: FollowedCluster = {
    call: () => Promise.resolve(list),
    resource: () => Promise.resolve(undefined),
    follow: () => {
      if (++opened === 2) reopened.resolve();
      // deno-lint-ignore require-yield -- a connection that breaks
      const lines = (async function* () {
        await turns();
        throw new Error("connection reset");
      })();
      return Promise.resolve({ ok: true, lines });
    },
  };
  const collection = new LiveCollections({ cluster, clock: systemClock(), entropy, recovery }).watch(
    "/api/v1/pods",
    () => {},
  );
  await collection.synced;
  await turns(30);
  recovery.answered();
  await reopened.promise;
  await collection.close();
});

const goingOn: readonly (readonly [what: string, failure: Answer, tries: number])[] = [
  [
    "a server that answers others and not for this kind gets no list at each of their calls",
    noAnswers[0]![1],
    2,
  ],
  ["the server forbids the list", refusal(403), 1],
  ["the server sheds requests", refusal(429), 1],
];
for (const [what, failure, tries] of goingOn) {
  Deno.test(`a collection keeps its pauses: ${what}`, async () => {
    const { entropy, recovery } = longPauses();
    let calls = 0;
    const cluster: FollowedCluster = {
      call: () => (calls++, Promise.resolve(failure)),
      resource: () => Promise.resolve(undefined),
      follow: () => Promise.reject(new Error("nothing is listed")),
    };
    const collection = new LiveCollections({ cluster, clock: systemClock(), entropy, recovery }).watch(
      "/api/v1/pods",
      () => {},
    );
    for (let answered = 0; answered < 5; answered++) {
      await turns();
      recovery.answered();
    }
    await turns();
    assert.equal(calls, tries);
    await collection.close();
  });
}

/** Lets timers without a wait, and what follows them, run. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

const signs: readonly (readonly [status: number, isSign: boolean])[] = [
  [200, true],
  [403, true],
  [404, true],
  [429, false],
  [502, false],
  [503, false],
];
for (const [status, isSign] of signs) {
  Deno.test(`an answer ${status} is ${isSign ? "a" : "no"} sign that the API server works again`, async () => {
    const server = fakeServer(() => status === 200 ? found() : new Response("no", { status }));
    let answered = 0;
    const cluster = connect({ server: server.address }, { attempts: 1, answered: () => answered++ });
    try {
      await cluster.call({ method: "GET", path });
      assert.equal(answered, isSign ? 1 : 0);
    } finally {
      cluster.close();
      await server.close();
    }
  });
}

Deno.test("a server that cannot be reached gives no sign, and an open watch is one", async () => {
  const server = fakeServer(() => new Response("{}\n"));
  let answered = 0;
  const cluster = connect({ server: server.address }, { attempts: 1, answered: () => answered++ });
  const stop = new AbortController();
  try {
    const following = await cluster.follow("/api/v1/pods?watch=true", stop.signal);
    assert.ok(following.ok);
    for await (const _line of following.lines) break;
    assert.equal(answered, 1);
  } finally {
    stop.abort();
    await server.close();
  }
  await cluster.call({ method: "GET", path });
  assert.equal(answered, 1);
  cluster.close();
});
