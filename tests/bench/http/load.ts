/**
 * The load generator, a process of its own: raw sockets with keep-alive that write a request prepared once and look for
 * the end of the answer, nothing else. Prints what it saw as JSON.
 *
 *     deno run --allow-net=127.0.0.1 --allow-read tests/bench/http/load.ts PORT PATH BODY_FILE CONNECTIONS SECONDS [REQUESTS]
 */
import process from "node:process";

/** What a run of load saw. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from writing a request to the end of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** How much of one core the generator itself took. */
  readonly busy: number;
  /** Answers other than 200. */
  readonly failures: number;
}

interface Order {
  readonly port: number;
  readonly path: string;
  readonly body: Uint8Array;
  readonly connections: number;
  readonly seconds: number;
  /** Ends the run earlier, after so many requests. */
  readonly most: number;
}

async function generate({ port, path, body, connections, seconds, most }: Order): Promise<Load> {
  const head = new TextEncoder().encode(
    `POST ${path}?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const request = new Uint8Array(head.length + body.length);
  request.set(head);
  request.set(body, head.length);
  const times: number[] = [];
  let failures = 0, left = most;
  const before = process.cpuUsage();
  const start = performance.now(), end = start + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, async () => {
    using socket = await Deno.connect({ hostname: "127.0.0.1", port });
    socket.setNoDelay(true);
    const buffer = new Uint8Array(64 * 1024);
    while (performance.now() < end && left-- > 0) {
      const sent = performance.now();
      for (let at = 0; at < request.length;) at += await socket.write(request.subarray(at));
      if (!await answered(socket, buffer)) failures++;
      times.push(performance.now() - sent);
    }
  }));
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  times.sort((left, right) => left - right);
  const at = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return {
    requests: times.length,
    seconds: elapsed,
    p50: at(0.5),
    p99: at(0.99),
    busy: (user + system) / 1e6 / elapsed,
    failures,
  };
}

/** Reads one answer to its end; whether its status is 200. */
async function answered(socket: Deno.Conn, buffer: Uint8Array): Promise<boolean> {
  let filled = 0, bodyAt = -1, length = 0;
  for (;;) {
    const count = await socket.read(buffer.subarray(filled));
    if (count === null) throw new Error("the server closed the connection");
    filled += count;
    if (bodyAt < 0) {
      bodyAt = endOfHead(buffer, filled);
      if (bodyAt < 0) continue;
      length = contentLength(buffer.subarray(0, bodyAt));
    }
    // "HTTP/1.1 200": the status starts at the tenth byte.
    if (filled >= bodyAt + length) return buffer[9] === 0x32 && buffer[10] === 0x30 && buffer[11] === 0x30;
  }
}

function endOfHead(buffer: Uint8Array, filled: number): number {
  for (let at = 0; at + 3 < filled; at++) {
    if (buffer[at] === 13 && buffer[at + 1] === 10 && buffer[at + 2] === 13 && buffer[at + 3] === 10) {
      return at + 4;
    }
  }
  return -1;
}

const decoder = new TextDecoder();

function contentLength(head: Uint8Array): number {
  const length = /content-length: (\d+)/i.exec(decoder.decode(head))?.[1];
  if (length === undefined) throw new Error("the answer has no length");
  return Number(length);
}

if (import.meta.main) {
  const [port = "", path = "", bodyFile = "", connections = "16", seconds = "3", most = "Infinity"] =
    Deno.args;
  const load = await generate({
    port: Number(port),
    path,
    body: await Deno.readFile(bodyFile),
    connections: Number(connections),
    seconds: Number(seconds),
    most: Number(most),
  });
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(load)));
}
