/** Servers that send interim answers without an end keep the process from other work: calls to them end soon. */
import assert from "node:assert/strict";
import { type FloodMeter, FloodWatch, HttpClient } from "../../lib/adapters/mod.ts";

/** Time that passes as a test says, and the timer that is due next. */
function given(): FloodMeter & {
  pass(milliseconds: number, worked: number): void;
  readonly isPlanned: boolean;
} {
  let time = 0, processor = 0, due: { readonly at: number; readonly call: () => void } | undefined;
  return {
    now: () => time,
    processorTime: () => processor,
    later(call, milliseconds) {
      due = { at: time + milliseconds, call };
      return () => due = undefined;
    },
    pass(milliseconds, worked) {
      time += milliseconds;
      processor += worked;
      if (due === undefined || due.at > time) return;
      const { call } = due;
      due = undefined;
      call();
    },
    get isPlanned() {
      return due !== undefined;
    },
  };
}

const cases: readonly (readonly [what: string, delays: readonly number[], share: number, ends: boolean])[] = [
  ["late looks one after the other, while the processor works, end a call", Array(5).fill(200), 0.9, true],
  ["a process that gets no processor time ends no call", Array(20).fill(200), 0.1, false],
  ["single long stretches of work end no call", [900, 60, 900, 900, 60, 900], 1, false],
  ["a slow server ends no call", Array(200).fill(55), 0.9, false],
];

for (const [what, delays, share, ends] of cases) {
  Deno.test(`waiting for an answer: ${what}`, () => {
    const meter = given(), floods = new FloodWatch(meter);
    let ended = false;
    const answered = floods.wait(() => ended = true);
    for (const delay of delays) meter.pass(delay, delay * share);
    assert.equal(ended, ends);
    answered();
    assert.equal(meter.isPlanned, false);
  });
}

Deno.test("a call that began a moment ago does not end with those that waited", () => {
  const meter = given(), floods = new FloodWatch(meter), ended: string[] = [];
  floods.wait(() => ended.push("first"));
  for (let look = 0; look < 3; look++) meter.pass(150, 150);
  const answered = floods.wait(() => ended.push("second"));
  meter.pass(200, 200);
  assert.deepEqual(ended, ["first"]);
  answered();
});

const peer = `
const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
postMessage(listener.addr.port);
const interim = new TextEncoder().encode("HTTP/1.1 103 Early Hints\\r\\nlink: </a>\\r\\n\\r\\n".repeat(1000));
for await (const connection of listener) {
  (async () => {
    await connection.read(new Uint8Array(4096));
    for (;;) for (let at = 0; at < interim.length;) at += await connection.write(interim.subarray(at));
  })().catch(() => {});
}`;

Deno.test("calls to a service that sends interim answers without an end are ended before their time is over", async () => {
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(peer)}`, { type: "module" });
  const port = await new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
  const http = new HttpClient({ timeout: 60_000 });
  const calls = Array.from(
    { length: 8 },
    () => http.call({ method: "GET", url: `http://127.0.0.1:${port}/` }),
  );
  for (const answer of await Promise.all(calls)) {
    assert.ok(!answer.ok);
    assert.match(answer.message, /sends so many interim answers that they delay requests$/);
  }
  http.close();
  worker.terminate();
});
