/** Probes and metrics are answered by a thread of their own, for callers that nobody trusts. */
import assert from "node:assert/strict";
import { type ListenerAnswer, openProbePort, type Probes } from "../../lib/listener/mod.ts";
import { ProbePort } from "../../lib/listener/probe_port.ts";
import { PulseReader, type Vitality } from "../../lib/listener/pulse.ts";

const hostname = "127.0.0.1";

function page(body: string): ListenerAnswer {
  return { status: 200, headers: [], body };
}

async function openThread(isReady: () => boolean = () => true): Promise<Probes> {
  const opened = await openProbePort({
    hostname,
    port: 0,
    isReady,
    answer: ({ target }) => Promise.resolve(page(target === "/metrics" ? "up 1\n" : "other")),
    problem: (message) => assert.fail(message),
  });
  assert.ok(typeof opened !== "string", String(opened));
  return opened;
}

function openPort(vitality: Vitality = "ready"): ProbePort {
  return new ProbePort({
    hostname,
    port: 0,
    vitality: () => vitality,
    answer: () => Promise.resolve(page("x".repeat(1_000_000))),
  });
}

async function get(port: number, path: string): Promise<string> {
  const response = await fetch(`http://${hostname}:${port}${path}`);
  return `${response.status} ${await response.text()}`;
}

Deno.test("the probe thread answers while the main thread is busy", async () => {
  const thread = await openThread();
  const code = `console.log(await (await fetch("http://${hostname}:${thread.port}/health/liveness")).text())`;
  // The call returns when the other process has ended: no turn of this event loop comes before.
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["eval", code] }).outputSync();
  assert.equal(new TextDecoder().decode(stdout).trim(), "ok");
  thread.close();
});

Deno.test("the main thread reports whether it is ready, and answers requests other than probes", async () => {
  let isReady = false;
  const thread = await openThread(() => isReady);
  assert.equal(await get(thread.port, "/health/liveness"), "200 ok");
  assert.equal(await get(thread.port, "/health/readiness"), "503 loading");
  isReady = true;
  while (await get(thread.port, "/health/readiness") !== "200 ok") {
    await new Promise((go) => setTimeout(go, 20));
  }
  assert.deepEqual(
    await Promise.all(Array.from({ length: 20 }, () => get(thread.port, "/metrics"))),
    Array(20).fill("200 up 1\n"),
  );
  assert.equal(await get(thread.port, "/other"), "200 other");
  thread.close();
});

Deno.test("no more than 32 different requests wait for a busy main thread", async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const opened = await openProbePort({
    hostname,
    port: 0,
    isReady: () => true,
    answer: async ({ target }) => {
      await free;
      return page(target);
    },
    problem: (message) => assert.fail(message),
  });
  assert.ok(typeof opened !== "string", String(opened));
  const { port } = opened;
  const answers = Array.from({ length: 60 }, (_, index) => get(port, `/metrics?${index}`));
  const refused = () => answers.map((answer) => answer.then((text) => text.startsWith("503")));
  assert.ok(await Promise.any(refused().map(async (answer) => await answer || Promise.reject())));
  assert.equal(await get(port, "/health/liveness"), "200 ok");
  resolve();
  const statuses = (await Promise.all(answers)).map((text) => text.slice(0, 3));
  assert.deepEqual([statuses.filter((status) => status === "200").length >= 32, statuses.includes("503")], [
    true,
    true,
  ]);
  assert.equal(await get(port, "/metrics"), "200 /metrics");
  opened.close();
});

Deno.test("a taken port is reported", async () => {
  const first = openPort();
  const second = await openProbePort({
    hostname,
    port: first.port,
    isReady: () => true,
    answer: () => Promise.resolve(page("")),
    problem: () => {},
  });
  assert.match(String(second), /^cannot listen on 127\.0\.0\.1:\d+: another program has this port/);
  first.close();
});

Deno.test({
  name: "the main thread answers probes when the runtime may not read the thread's code, and reports it",
  permissions: { read: false, net: [hostname] },
  async fn() {
    const problems: string[] = [];
    const opened = await openProbePort({
      hostname,
      port: 0,
      isReady: () => true,
      answer: () => Promise.resolve(page("")),
      problem: (message) => problems.push(message),
    });
    assert.ok(typeof opened !== "string", String(opened));
    assert.equal(await get(opened.port, "/health/readiness"), "200 ok");
    assert.match(
      problems.join(),
      /^the main thread answers probes: there is no permission to read \/.*probe_worker\.ts$/,
    );
    opened.close();
  },
});

Deno.test("a main thread without a beat for some time is stalled until it beats again", () => {
  const memory = new Int32Array(new SharedArrayBuffer(8));
  let now = 0;
  const reader = new PulseReader(memory, 10_000, () => now);
  const steps: readonly (readonly [time: number, beats: number, ready: number, seen: Vitality])[] = [
    [0, 1, 0, "loading"],
    [9_000, 1, 1, "ready"],
    [10_000, 1, 1, "ready"],
    [10_001, 1, 1, "stalled"],
    [10_002, 2, 1, "ready"],
    [20_003, 2, 1, "stalled"],
  ];
  for (const [time, beats, ready, seen] of steps) {
    now = time;
    memory.set([beats, ready]);
    assert.equal(reader.read(), seen, `after ${time} ms`);
  }
});

Deno.test("the answer to a probe depends on the state of the main thread", async () => {
  const table: readonly (readonly [Vitality, liveness: string, readiness: string])[] = [
    ["ready", "200 ok", "200 ok"],
    ["loading", "200 ok", "503 loading"],
    ["stalled", "503 stalled", "503 stalled"],
  ];
  for (const [vitality, liveness, readiness] of table) {
    const port = openPort(vitality);
    assert.equal(await get(port.port, "/health/liveness"), liveness);
    assert.equal(await get(port.port, "/health/readiness"), readiness);
    port.close();
  }
});

Deno.test("callers that send nothing, too much or nonsense delay no probe", async () => {
  const port = openPort();
  const open = () => Deno.connect({ hostname, port: port.port });
  const silent = await Promise.all(Array.from({ length: 400 }, open));
  const table: readonly (readonly [sent: string, answered: RegExp])[] = [
    ["GET /health/liveness HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/],
    ["HEAD /health/liveness HTTP/1.1\r\nHost: a\r\n\r\n", /Content-Length: 2\r\n[^]*\r\n\r\n$/],
    ["\x16\x03\x01\x02\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    [`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a`, /^$/],
  ];
  for (const [sent, answered] of table) {
    using connection = await open();
    await connection.write(new TextEncoder().encode(sent));
    assert.match(await textOf(connection), answered);
  }
  // An answer that nobody takes.
  const greedy = await Promise.all(Array.from({ length: 20 }, open));
  const request = new TextEncoder().encode("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const connection of greedy) await connection.write(request);
  assert.equal(await get(port.port, "/health/readiness"), "200 ok");
  for (const connection of [...silent, ...greedy]) connection.close();
  port.close();
});

async function textOf(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(65_536), decoder = new TextDecoder();
  let text = "";
  try {
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      text += decoder.decode(buffer.subarray(0, count));
    }
  } catch {
    // The other side closed with bytes unread.
  }
  return text;
}
