/** The memory of answers, with the adapters that read them. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import fc from "fast-check";
import { AnswerMemory, HttpClient, LiveCluster, systemClock } from "../../lib/adapters/mod.ts";
import { AnswerLifetime } from "../../lib/answer_lifetime.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import type { Answer } from "../../lib/ports.ts";
import { countingEntropy } from "./fakes.ts";
import { type Answering, fakeServer, type ReceivedRequest, silence } from "./fake_server.ts";

const most = 1_000_000, mostOfOne = 3_000_000, small = 300_000;

/** A list whose text takes so many characters. */
function listOf(characters: number): Json {
  return { kind: "List", items: Array<Json>(Math.ceil(characters / 1_000)).fill("x".repeat(1_000)) };
}

interface Trial {
  readonly memory: AnswerMemory;
  readonly cluster: LiveCluster;
  readonly http: HttpClient;
  readonly address: string;
  readonly received: readonly ReceivedRequest[];
}

/** Runs a test with adapters that share a memory, and with a server that they call. */
async function trial(answer: Answering, run: (trial: Trial) => Promise<void>): Promise<void> {
  const server = fakeServer(answer), memory = new AnswerMemory({ most, mostOfOne, small });
  const cluster = LiveCluster.connect({ server: server.address }, {
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    attempts: 2,
    memory,
  });
  assert.ok(!isFault(cluster));
  try {
    const { address, received } = server;
    await run({ memory, cluster, http: new HttpClient({ memory }), address, received });
  } finally {
    cluster.close();
    await server.close();
  }
}

function path(size: number): string {
  return `/api/v1/lists?size=${size}`;
}

const lists: Answering = ({ path }) => Response.json(listOf(Number(/size=(\d+)/.exec(path)![1])));

Deno.test("a list for which there is no room is read again when the evaluation that took it has ended", async () => {
  await trial(lists, async ({ memory, cluster, received }) => {
    const first = new AnswerLifetime(), second = new AnswerLifetime();
    assert.ok((await cluster.call({ method: "GET", path: path(900_000), lifetime: first })).ok);
    const held = memory.used;
    assert.ok(held > 900_000);
    const other = cluster.call({ method: "GET", path: path(800_000), lifetime: second });
    while (second.waitsFor === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(memory.used, held, "it holds nothing while it waits");
    first.end();
    assert.ok((await other).ok);
    assert.equal(received.filter((each) => each.path === path(800_000)).length, 2);
    second.end();
    assert.equal(memory.used, 0);
  });
});

Deno.test("a list that was long the last time waits before it is read", async () => {
  await trial(lists, async ({ memory, cluster, received }) => {
    const lifetimes = [1, 2, 3].map(() => new AnswerLifetime());
    const call = (lifetime: AnswerLifetime) => cluster.call({ method: "GET", path: path(900_000), lifetime });
    assert.ok((await call(lifetimes[0]!)).ok);
    const others = lifetimes.slice(1).map(call);
    lifetimes[0]!.end();
    assert.ok((await others[0]!).ok);
    lifetimes[1]!.end();
    assert.ok((await others[1]!).ok);
    assert.equal(received.length, 3);
    lifetimes[2]!.end();
    assert.equal(memory.used, 0);
  });
});

Deno.test("a call whose deadline passes while it waits for memory fails with what happened", async () => {
  await trial(lists, async ({ memory, cluster }) => {
    const first = new AnswerLifetime(), controller = new AbortController();
    assert.ok((await cluster.call({ method: "GET", path: path(900_000), lifetime: first })).ok);
    const second = new AnswerLifetime();
    const call = { method: "GET", path: path(800_000), lifetime: second, signal: controller.signal } as const;
    const other = cluster.call(call);
    while (second.waitsFor === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const answer = await other;
    assert.equal(
      answer.ok ? "" : answer.message,
      `GET ${path(800_000)}: the answers of other requests take too much memory`,
    );
    first.end();
    assert.equal(memory.used, 0);
  });
});

const tooLarge =
  "what a request loads would take too much memory: select fewer objects, or use a GlobalContextEntry";

Deno.test("answers that one evaluation may not hold together fail with what to do", async () => {
  await trial(lists, async ({ cluster, http, address }) => {
    const lifetime = new AnswerLifetime();
    assert.ok((await cluster.call({ method: "GET", path: path(2_000_000), lifetime })).ok);
    const list = await cluster.call({ method: "GET", path: path(1_500_000), lifetime });
    assert.equal(list.ok ? "" : list.message, `GET ${path(1_500_000)}: ${tooLarge}`);
    const url = `${address}${path(1_400_000)}`;
    const answer = await http.call({ method: "GET", url, lifetime });
    assert.equal(answer.ok ? "" : answer.message, `Get "${url}": ${tooLarge}`);
  });
});

Deno.test("what is not read again waits where it is: answers of services, and to calls that change something", async () => {
  await trial(lists, async ({ memory, cluster, http, address, received }) => {
    const first = new AnswerLifetime(),
      second = new AnswerLifetime(),
      third = new AnswerLifetime();
    assert.ok((await cluster.call({ method: "GET", path: path(900_000), lifetime: first })).ok);
    const others = [
      http.call({ method: "POST", url: `${address}${path(500_000)}`, body: {}, lifetime: second }),
      cluster.call({ method: "POST", path: path(400_000), body: {}, lifetime: third }),
    ];
    while (second.waitsFor === undefined || third.waitsFor === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    first.end();
    const ended = others.map(async (call, index) => {
      assert.ok((await call).ok);
      [second, third][index]!.end();
    });
    await Promise.all(ended);
    assert.equal(received.length, 3);
    assert.equal(memory.used, 0);
  });
});

/** How the server of the random sequences answers. */
const answers: readonly ((size: number) => Response | Promise<Response>)[] = [
  (size) => Response.json(listOf(size)),
  (size) => Response.json(listOf(size), { status: 403 }),
  (size) => new Response("x".repeat(size), { headers: { "content-type": "text/plain" } }),
  (size) =>
    new Response(JSON.stringify(listOf(size)).slice(0, -1), {
      headers: { "content-type": "application/json" },
    }),
  (size) =>
    new Response(JSON.stringify(listOf(size)), {
      status: 500,
      headers: { "content-type": "application/json" },
    }),
  () => silence(),
  (size) => new Response(slow(size), { headers: { "content-type": "application/json" } }),
];

/** A server that closes each connection in the middle of its answer. */
async function breakingServer(): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(JSON.stringify(listOf(100_000)).slice(0, -10), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function slow(size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(listOf(size)));
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.enqueue(bytes.slice(at, at += 50_000));
      if (at >= bytes.length) controller.close();
    },
  });
}

Deno.test("however calls end, and whenever evaluations do, no memory is held in the end", async () => {
  const call = fc.record({
    evaluation: fc.nat(3),
    kind: fc.constantFrom("GET", "POST", "service GET", "service POST", "broken service GET"),
    answer: fc.nat(answers.length - 1),
    size: fc.oneof(fc.nat(20_000), fc.nat(3_500_000)),
  });
  /** Milliseconds after which each evaluation ends, and whether its signal aborts. */
  const ends = fc.array(fc.tuple(fc.nat(60), fc.boolean()), { minLength: 4, maxLength: 4 });
  const answering: Answering = ({ path }) => {
    const [, answer, size] = /answer=(\d+)&size=(\d+)/.exec(path)!;
    return answers[Number(answer)]!(Number(size));
  };
  const breaking = await breakingServer();
  await trial(answering, async ({ memory, cluster, http, address }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), ends, async (calls, ends) => {
        const evaluations = ends.map(() => ({
          lifetime: new AnswerLifetime(),
          controller: new AbortController(),
        }));
        const made = calls.map(({ evaluation, kind, answer, size }): Promise<Answer> => {
          const { lifetime, controller: { signal } } = evaluations[evaluation]!;
          const target = `/api?answer=${answer}&size=${size}`, isPost = kind.endsWith("POST");
          const common = {
            method: isPost ? "POST" : "GET",
            ...(isPost && { body: {} }),
            signal,
            lifetime,
          } as const;
          if (!kind.includes("service")) return cluster.call({ ...common, path: target });
          const host = kind.startsWith("broken") ? breaking.address : address;
          return http.call({ ...common, url: `${host}${target}` });
        });
        await Promise.all(evaluations.map(async ({ lifetime, controller }, index) => {
          const [after, aborts] = ends[index]!;
          await new Promise((resolve) => setTimeout(resolve, after));
          if (aborts) controller.abort();
          lifetime.end();
          // As an evaluation's deadline does.
          controller.abort();
        }));
        await Promise.all(made);
        assert.equal(memory.used, 0);
      }),
      { numRuns: 150 },
    );
  }).finally(() => breaking.close());
});
