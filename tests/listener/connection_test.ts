/** The memory of connections: of those that the listener closes, and of requests that arrive together. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { ByteBudget } from "../../lib/listener/byte_budget.ts";
import { Connection } from "../../lib/listener/connection.ts";
import { DateHeader } from "../../lib/listener/date_header.ts";
import { KeptBytes } from "../../lib/listener/kept_bytes.ts";
import { defaultLimits } from "../../lib/listener/limits.ts";
import { Outbox } from "../../lib/listener/outbox.ts";
import type { Service } from "../../lib/listener/service.ts";
import { type Job, JobTurns } from "../../lib/listener/job_turns.ts";
import { UnreadAnswers } from "../../lib/listener/unread_answers.ts";

/** A socket whose caller reads nothing, and whose "close" event comes late. */
class SilentSocket extends EventEmitter {
  readonly written: Uint8Array[] = [];
  destroyed = false;
  hasEnded = false;
  writableLength = 0;

  write(piece: Uint8Array): boolean {
    this.written.push(piece);
    this.writableLength += piece.length;
    return false;
  }

  destroy(): void {
    this.destroyed = true;
  }

  end(piece?: Uint8Array): void {
    if (piece !== undefined) this.written.push(piece);
    this.hasEnded = true;
  }

  pause(): void {}
  resume(): void {}
  setNoDelay(): void {}
}

function serviceOf(connections: Connection[], changes: Partial<Service> = {}): Service {
  const budget = new ByteBudget(1e6);
  return {
    handler: () => ({ status: 200, headers: [], body: "x".repeat(3_000_000) }),
    limits: defaultLimits,
    budget,
    smallBudget: budget,
    ahead: new KeptBytes(1e6),
    turns: new JobTurns(),
    outbox: new Outbox(),
    date: new DateHeader(),
    unread: new UnreadAnswers(4_000_000, connections),
    screen: () => undefined,
    answerTime: () => 10_000,
    collectGarbage() {},
    problem: (message) => assert.fail(message),
    ends: () => false,
    answered() {},
    ...changes,
  };
}

/** Connects a socket, and adds its connection. */
function connect(connections: Connection[], service: Service): SilentSocket {
  const socket = new SilentSocket();
  const caller = { generation: 0, authenticated: false, transport: undefined };
  connections.push(new Connection(socket as unknown as Socket, service, caller));
  return socket;
}

Deno.test("a connection that is closed because its caller reads nothing frees its answer before the event", () => {
  const connections: Connection[] = [], service = serviceOf(connections);
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect(connections, service);
    socket.emit("data", Buffer.from("GET / HTTP/1.1\r\nHost: postern\r\n\r\n"));
    return socket;
  });
  const states = sockets.map(({ destroyed, written: [piece] }) => ({
    destroyed,
    isFreed: (piece!.buffer as ArrayBuffer).detached,
  }));
  const open = { destroyed: false, isFreed: false };
  assert.deepEqual(states, [{ destroyed: true, isFreed: true }, open, open]);
});

Deno.test("bytes that a closed connection had already read are dropped, in the middle of a body, too", () => {
  const connections: Connection[] = [], socket = connect(connections, serviceOf(connections));
  socket.emit("data", Buffer.from("POST / HTTP/1.1\r\nHost: postern\r\nContent-Length: 6\r\n\r\nabc"));
  connections[0]!.destroy();
  socket.emit("data", Buffer.from("def"));
  assert.deepEqual(socket.written, []);
});

Deno.test("a body that waits for its turn stays whole when more of the next request arrives", () => {
  const lengths: number[] = [], waiting: Job[] = [];
  const turns = new class extends JobTurns {
    override add(job: Job): void {
      waiting.push(job);
    }
  }();
  const handler: Service["handler"] = ({ body }) => {
    lengths.push(body.length);
    return { status: 200, headers: [], body: "" };
  };
  const socket = connect([], serviceOf([], { turns, handler }));
  const content = "x".repeat(20_000);
  const request = `POST / HTTP/1.1\r\nHost: postern\r\nContent-Length: ${content.length}\r\n\r\n${content}`;
  socket.emit("data", bytesOf(`${request}POST / HT`));
  socket.emit("data", bytesOf("TP/1.1\r\n"));
  for (const { run } of waiting) run();
  assert.deepEqual(lengths, [content.length]);
});

Deno.test("a caller that closes its side while its body waits for room is answered when the body has arrived", () => {
  const budget = new ByteBudget(100), handler = () => ({ status: 200, headers: [], body: "" });
  const connections: Connection[] = [];
  const turns = new class extends JobTurns {
    override add({ run }: Job): void {
      run();
    }
  }();
  const outbox = new class extends Outbox {
    override add(write: () => void): void {
      write();
    }
  }();
  const service = serviceOf(connections, { budget, smallBudget: budget, handler, turns, outbox });
  const head = "POST / HTTP/1.1\r\nHost: postern\r\nContent-Length: 50\r\n\r\n", content = "x".repeat(50);
  // The first body that is not complete may go beyond the budget, and it keeps the others waiting.
  const first = connect(connections, service);
  first.emit("data", bytesOf(head.replace("50", "200")));
  first.emit("data", bytesOf(content));
  const part = "x".repeat(20), rest = "x".repeat(30);
  const requests = [[head + content], [head, content], [head, part, rest], [head, part]];
  const sockets = requests.map((pieces) => {
    const socket = connect(connections, service);
    for (const piece of pieces) socket.emit("data", bytesOf(piece));
    socket.emit("end");
    return socket;
  });
  assert.deepEqual(sockets.map(({ hasEnded }) => hasEnded), [false, false, false, false]);
  first.emit("data", bytesOf("x".repeat(150)));
  const answers = sockets.map(({ written: [piece], hasEnded }) =>
    piece === undefined ? { hasEnded } : new TextDecoder().decode(piece.subarray(0, 15))
  );
  assert.deepEqual(answers, [...Array(3).fill("HTTP/1.1 200 OK"), { hasEnded: true }]);
});

/** Bytes in a buffer that they do not share, as those of a socket. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(new TextEncoder().encode(text));
}
