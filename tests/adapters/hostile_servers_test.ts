/** Servers that answer as none should: each call ends, within its bounds, with a message. */
import assert from "node:assert/strict";
import { HttpClient } from "../../lib/adapters/mod.ts";
import { rawServer, type Write } from "./raw_server.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** Writes a text until the client leaves. */
async function endlessly(write: Write, text: string): Promise<void> {
  while (await write(text));
}

/** 20 MB of spaces in some kilobytes. */
const bomb = new Uint8Array(
  await new Response(
    new Blob([new Uint8Array(20_000_000).fill(32)]).stream().pipeThrough(new CompressionStream("gzip")),
  ).arrayBuffer(),
);

const peers: [what: string, answer: (write: Write) => Promise<void>, message: RegExp][] = [
  [
    "a head without an end",
    (write) => write(`${head}x: `).then(() => endlessly(write, "a".repeat(60_000))),
    /: message head is too large$/,
  ],
  [
    "fields of a head without an end",
    (write) => write(head).then(() => endlessly(write, "a: b\r\n".repeat(1_000))),
    /: message head is too large$/,
  ],
  [
    "megabytes in a few compressed kilobytes",
    async (write) => {
      await write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      await write(bomb);
    },
    /must be less than max allowed response length of 2000000$/,
  ],
  [
    "interim answers without an end",
    (write) => endlessly(write, "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(100)),
    /: (?:timed out|ended, as a server sends so many interim answers that they delay requests)$/,
  ],
  [
    "a body without an end",
    (write) => write(`${head}\r\n[`).then(() => endlessly(write, "{},".repeat(10_000))),
    /must be less than max allowed response length of 2000000$/,
  ],
  [
    "an extension of a chunk without an end",
    (write) =>
      write(`${head}transfer-encoding: chunked\r\n\r\n1;x=`).then(() =>
        endlessly(write, "aaaa".repeat(9_999))
      ),
    /: error reading a body from connection$/,
  ],
  [
    "trailers without an end",
    (write) =>
      write(`${head}transfer-encoding: chunked\r\n\r\n0\r\n`).then(() =>
        endlessly(write, "a: b\r\n".repeat(999))
      ),
    /: error reading a body from connection$/,
  ],
  [
    "pieces of one byte",
    (write) =>
      write(`${head}transfer-encoding: chunked\r\n\r\n`).then(() =>
        endlessly(write, "1\r\n \r\n".repeat(999))
      ),
    /: the answer comes in too many short pieces$/,
  ],
  ["no HTTP", (write) => endlessly(write, "no HTTP\r\n\r\n"), /: invalid HTTP version parsed$/],
  [
    "an end after the head",
    (write) => write(`${head}content-length: 9\r\n\r\n{`).then(() => {}),
    /: error reading/,
  ],
  ["nothing, and the end", () => Promise.resolve(), /: connection closed before message completed$/],
];
for (const [what, answer, message] of peers) {
  Deno.test(`a service that sends ${what}: the call ends with a message that names the URL once`, async () => {
    const server = rawServer(answer), http = new HttpClient({ timeout: 3_000 });
    try {
      const url = `${server.address}/x?key=(s)`;
      const answer = await http.call({ method: "GET", url });
      const text = answer.ok ? "ok" : answer.message;
      assert.match(text, message);
      assert.ok(text.split(server.address.slice(7)).length <= 2, text);
    } finally {
      http.close();
      server.close();
    }
  });
}

Deno.test("a service that never answers takes a bounded number of connections, and leaves room for others", async () => {
  const silent = rawServer(() => new Promise(() => {}));
  const other = rawServer(async (write) => void await write(`${head}content-length: 4\r\n\r\ntrue`));
  const stop = new AbortController(), http = new HttpClient();
  try {
    const { signal } = stop;
    const calls = Array.from(
      { length: 300 },
      () => http.call({ method: "GET", url: silent.address, signal }),
    );
    while (silent.most() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await http.call({ method: "GET", url: other.address, signal });
    assert.ok(answer.ok);
    assert.ok(silent.most() <= 64, String(silent.most()));
    stop.abort();
    const messages = new Set((await Promise.all(calls)).map((each) => each.ok ? "ok" : each.message));
    assert.deepEqual([...messages], [`Get "${silent.address}": the request's deadline passed`]);
  } finally {
    http.close();
    silent.close();
    other.close();
  }
});
