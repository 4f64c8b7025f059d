/** A port with TLS, as its callers see it. */
import assert from "node:assert/strict";
import { type Handler, Listener, type ListenerOptions } from "../../lib/listener/mod.ts";
import { makeKeyPair } from "../support/key_pairs.ts";

const pair = await makeKeyPair();
const echo: Handler = ({ body }) => ({ status: 200, headers: [], body });

async function open(options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await Listener.open({
    hostname: "127.0.0.1",
    port: 0,
    serve: { handler: echo },
    certificates: { current: () => Promise.resolve({ certificate: pair }) },
    problem: () => {},
    ...options,
  });
  assert.ok(typeof listener !== "string", String(listener));
  return listener;
}

/** Writes a request and reads its answer to the end of the body. */
async function exchange(connection: Deno.Conn, request: Uint8Array): Promise<string> {
  for (let at = 0; at < request.length;) at += await connection.write(request.subarray(at));
  return await readAnswer(connection);
}

async function readAnswer(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder(), buffer = new Uint8Array(65536);
  let text = "";
  for (;;) {
    const end = text.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN);
    if (end >= 0 && text.length >= end + 4 + length) return text;
    const count = await connection.read(buffer);
    if (count === null) return text;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}

function post(body: string, ...headers: string[]): Uint8Array {
  const head = ["POST / HTTP/1.1", "Host: localhost", `Content-Length: ${body.length}`, ...headers];
  return new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`);
}

async function connectTls({ port }: Listener): Promise<Deno.TlsConn> {
  return await Deno.connectTls({ hostname: "127.0.0.1", port, caCerts: [pair.cert] });
}

Deno.test("screen() gets the caller's address", async () => {
  const seen: string[] = [];
  const listener = await open({
    screen: ({ address }) => {
      seen.push(address);
      return undefined;
    },
  });
  using connection = await connectTls(listener);
  await exchange(connection, post("a"));
  assert.deepEqual(seen, ["127.0.0.1"]);
  await listener.close();
});

for (const bytes of [130, 1_400, 20_000]) {
  Deno.test(`an answer of ${bytes} bytes does not wait for the caller's acknowledgement`, async () => {
    // The request is small: this client's own second record would wait for the server's acknowledgement.
    const handler: Handler = () => ({ status: 200, headers: [], body: "x".repeat(bytes) });
    const listener = await open({ serve: { handler } });
    using connection = await connectTls(listener);
    const times: number[] = [];
    for (let index = 0; index < 20; index++) {
      const started = performance.now();
      const answer = await exchange(connection, post("how long?"));
      times.push(performance.now() - started);
      assert.ok(answer.endsWith("x".repeat(bytes)));
    }
    // A part that waits comes 40 ms later, each time.
    assert.ok(Math.min(...times) < 35, times.join(" "));
    connection.close();
    await listener.close();
  });
}

Deno.test("pipelined requests are answered in order", async () => {
  const listener = await open();
  const connection = await connectTls(listener);
  const requests = ["a", "b", "c"].map((body) => new TextDecoder().decode(post(body))).join("");
  await connection.write(new TextEncoder().encode(requests));
  let text = "";
  const buffer = new Uint8Array(4096);
  while ((text.match(/HTTP\/1.1 200/g) ?? []).length < 3 || !text.endsWith("c")) {
    const count = await connection.read(buffer);
    assert.ok(count !== null);
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  assert.match(text, /\r\n\r\na[^]*\r\n\r\nb[^]*\r\n\r\nc$/);
  connection.close();
  await listener.close();
});

Deno.test("pipelined large bodies reach the handler unchanged and in order", async () => {
  const listener = await open();
  const connection = await connectTls(listener);
  const bodies = ["a", "b", "c", "d"].map((letter) => letter.repeat(40_000));
  const decoder = new TextDecoder();
  const writing = (async () => {
    const all = new TextEncoder().encode(bodies.map((body) => decoder.decode(post(body))).join(""));
    for (let at = 0; at < all.length;) at += await connection.write(all.subarray(at));
  })();
  let text = "";
  const buffer = new Uint8Array(65536);
  while (!text.endsWith(bodies[3]!)) {
    const count = await connection.read(buffer);
    assert.ok(count !== null);
    text += decoder.decode(buffer.subarray(0, count));
  }
  await writing;
  assert.deepEqual(text.match(/([abcd])\1{39999}/g), bodies);
  connection.close();
  await listener.close();
});

Deno.test("a caller that closes its side after the request gets the answer and the end of the connection", async () => {
  const listener = await open({ limits: { idleTime: 60_000 } });
  const tls = await Promise.all(Array.from({ length: 8 }, () => connectTls(listener)));
  const answers = await Promise.all(tls.map(async (connection) => {
    await connection.write(post("hello"));
    await connection.closeWrite();
    const answer = await readAnswer(connection);
    assert.equal(await connection.read(new Uint8Array(1)), null);
    connection.close();
    return answer;
  }));
  for (const answer of answers) assert.match(answer, /200 OK[^]*hello$/);
  await listener.close();
});

Deno.test("a caller that expects 100 Continue gets it", async () => {
  const listener = await open();
  const connection = await connectTls(listener);
  const [head, body] = new TextDecoder().decode(post("hello", "Expect: 100-continue")).split("\r\n\r\n");
  await connection.write(new TextEncoder().encode(`${head}\r\n\r\n`));
  const buffer = new Uint8Array(4096);
  const count = await connection.read(buffer);
  assert.equal(new TextDecoder().decode(buffer.subarray(0, count!)), "HTTP/1.1 100 Continue\r\n\r\n");
  await connection.write(new TextEncoder().encode(body!));
  assert.match(await readAnswer(connection), /200 OK[^]*hello$/);
  connection.close();
  await listener.close();
});

Deno.test("an unfinished head or body is answered with 408, and the connection ends", async () => {
  const listener = await open({ limits: { headTime: 200, bodyTime: 200 } });
  for (const part of ["POST / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"]) {
    const connection = await connectTls(listener);
    const answer = await exchange(connection, new TextEncoder().encode(part));
    assert.match(answer, /^HTTP\/1\.1 408 [^]*Connection: close/);
    connection.close();
  }
  await listener.close();
});

Deno.test("a handler that throws is answered with 500 and reported", async () => {
  const problems: string[] = [];
  const handler = () => {
    throw new TypeError("a bug");
  };
  const listener = await open({ serve: { handler }, problem: (message) => problems.push(message) });
  const connection = await connectTls(listener);
  assert.match(await exchange(connection, post("x")), /^HTTP\/1\.1 500 [^]*internal error/);
  assert.match(problems.join(), /a bug/);
  connection.close();
  await listener.close();
});

Deno.test("a web handler answers requests", async () => {
  const fetch = async (request: Request) =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, {
      status: 201,
    });
  const listener = await open({ serve: { fetch } });
  const connection = await connectTls(listener);
  assert.match(await exchange(connection, post("hello")), /^HTTP\/1\.1 201 [^]*POST \/ hello$/);
  connection.close();
  await listener.close();
});

Deno.test("a connection above the limit replaces an idle one", async () => {
  const listener = await open({ limits: { connections: 3 } });
  const connections: Deno.TlsConn[] = [];
  for (let index = 0; index < 6; index++) {
    const connection = await connectTls(listener);
    assert.match(await exchange(connection, post("hello")), /^HTTP\/1\.1 200 /);
    connections.push(connection);
  }
  assert.equal(
    await connections[0]!.read(new Uint8Array(10)).catch(() => null),
    null,
    "the oldest was closed",
  );
  connections.forEach((connection) => connection.close());
  await listener.close();
});

const authority = await makeKeyPair({ name: "authority", usage: "authority" });
const otherAuthority = await makeKeyPair({ name: "stranger", usage: "authority" });
const past = { notBefore: new Date(0), notAfter: new Date(86_400_000) };
const callers: readonly [
  what: string,
  pair: { cert: string; key: string } | undefined,
  isVerified: boolean,
][] = [
  ["none", undefined, false],
  ["one of the authority", await makeKeyPair({ issuer: authority, usage: "client" }), true],
  ["one of another authority", await makeKeyPair({ issuer: otherAuthority, usage: "client" }), false],
  ["one that expired", await makeKeyPair({ issuer: authority, usage: "client", ...past }), false],
  ["one for servers", await makeKeyPair({ issuer: authority, usage: "server" }), false],
  ["one that it signed itself", await makeKeyPair({ usage: "client" }), false],
];
for (const [what, caller, isVerified] of callers) {
  Deno.test(`a caller whose client certificate is ${what} is ${isVerified ? "authenticated" : "not authenticated"}`, async () => {
    const verdicts: boolean[] = [];
    const listener = await open({
      clientAuthority: authority.cert,
      screen: ({ authenticated }) => void verdicts.push(authenticated),
    });
    using client = Deno.createHttpClient({ caCerts: [pair.cert], ...caller });
    // The second connection resumes the session of the first: the TLS library verifies no certificate then.
    for (let index = 0; index < 2; index++) {
      const options = { method: "POST", body: "x", client, headers: { connection: "close" } };
      const answer = await fetch(`https://localhost:${listener.port}/`, options);
      assert.equal(await answer.text(), "x");
    }
    assert.deepEqual(verdicts, [isVerified, isVerified]);
    client.close();
    await listener.close();
  });
}

Deno.test("a request that arrives while the process is held up is answered, although the listener closes", async () => {
  const listener = await Listener.open({
    hostname: "127.0.0.1",
    port: 0,
    serve: { handler: echo },
    problem: () => {},
  });
  assert.ok(typeof listener !== "string", String(listener));
  // The client has a thread of its own: it sends its second request while this thread is held up.
  const client = new Worker(new URL("late_client.ts", import.meta.url), { type: "module" });
  const said = () => new Promise<string>((resolve) => client.onmessage = ({ data }) => resolve(data));
  let text = said();
  client.postMessage({ port: listener.port, answers: sharedNumber() });
  assert.match(await text, /before$/);
  text = said();
  client.postMessage("send");
  const closing = listener.close();
  // Longer than the listener waits for further requests.
  const heldUpUntil = performance.now() + 1_500;
  while (performance.now() < heldUpUntil);
  assert.match(await text, /during$/);
  client.terminate();
  await closing;
});

/** A number in memory that threads share. */
function sharedNumber(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4));
}

Deno.test("the caller has its answer before the listener does what the caller need not wait for", async () => {
  const answers = sharedNumber(), waits: string[] = [];
  // The listener's thread does nothing else until the client, on a thread of its own, has read the answer.
  const handler: Handler = ({ body }) => ({
    status: 200,
    headers: [],
    body,
    afterwards: () => void waits.push(Atomics.wait(answers, 0, 0, 10_000)),
  });
  const listener = await Listener.open({
    hostname: "127.0.0.1",
    port: 0,
    serve: { handler },
    problem: () => {},
  });
  assert.ok(typeof listener !== "string", String(listener));
  const client = new Worker(new URL("late_client.ts", import.meta.url), { type: "module" });
  const said = new Promise<string>((resolve) => client.onmessage = ({ data }) => resolve(data));
  client.postMessage({ port: listener.port, answers });
  assert.match(await said, /before$/);
  assert.equal(waits.length, 1);
  assert.notEqual(waits[0], "timed-out");
  client.terminate();
  await listener.close();
});

Deno.test("a listener that closes does so within its time although a request is never answered", async () => {
  const handler: Handler = () => new Promise(() => {});
  const listener = await open({ serve: { handler }, limits: { closeTime: 1_500 } });
  using connection = await connectTls(listener);
  const ended = exchange(connection, post("x")).catch(() => "");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve("still open"), 20_000);
  assert.equal(await Promise.race([listener.close().then(() => "closed"), late]), "closed");
  assert.equal(await ended, "", "its connection ends without an answer");
  clearTimeout(timer);
});

Deno.test("a small body does not wait for large ones that have taken all bytes", async () => {
  const limits = { allBodyBytes: 100_000, bodyTime: 2_000, waitTime: 4_000 };
  const listener = await open({ limits });
  const large = await Promise.all([1, 2, 3].map(() => connectTls(listener)));
  for (const connection of large) await connection.write(post("x".repeat(200_000)).subarray(0, 190_000));
  using small = await connectTls(listener);
  const first = await Promise.race([
    exchange(small, post("hello")).then((answer) => answer.slice(0, 12)),
    ...large.map((connection) => readAnswer(connection).then(() => "a large one ended first")),
  ]);
  assert.equal(first, "HTTP/1.1 200");
  for (const connection of large) connection.close();
  await listener.close();
});

Deno.test("small bodies that stop in the middle give way to those that wait for their bytes", async () => {
  const limits = { allSmallBytes: 100_000, bodyTime: 20_000, waitTime: 30_000, crowdedBodyTime: 200 };
  const listener = await open({ limits });
  const stalled = await Promise.all([1, 2, 3].map(() => connectTls(listener)));
  for (const connection of stalled) await connection.write(post("x".repeat(60_000)).subarray(0, 40_000));
  const first = readAnswer(stalled[0]!);
  assert.match(await first, /^HTTP\/1\.1 408/);
  for (const connection of stalled) connection.close();
  await listener.close();
});

Deno.test("a small body that arrives as a whole does not wait for those that stop in the middle", async () => {
  const limits = { allSmallBytes: 200_000, bodyTime: 20_000, waitTime: 30_000, crowdedBodyTime: 20_000 };
  const listener = await open({ limits });
  const stalled = await Promise.all(Array.from({ length: 20 }, () => connectTls(listener)));
  for (const connection of stalled) await connection.write(post("x".repeat(60_000)).subarray(0, 40_000));
  using alone = await connectTls(listener);
  const first = await Promise.race([
    exchange(alone, post("hello".repeat(2_000))).then((answer) => answer.slice(0, 12)),
    ...stalled.map((connection) => readAnswer(connection).then(() => "one of those ended first")),
  ]);
  assert.equal(first, "HTTP/1.1 200");
  for (const connection of stalled) connection.close();
  await listener.close();
});
