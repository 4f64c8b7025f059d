import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers";
import type { Socket } from "node:net";
import { answerBytes, plainAnswer } from "./answer_bytes.ts";
import { Body, type BodyProgress, giveBack, tooLarge } from "./body.ts";
import type { Share } from "./byte_budget.ts";
import type { HandlerAnswer, ListenerAnswer } from "./handler.ts";
import { endOfHead, readHead, type RequestHead } from "./request_head.ts";
import type { Service } from "./service.ts";

/** The state of a connection; `new` before its first request. */
export type Activity = "new" | "idle" | "head" | "body" | "handling" | "writing" | "lingering";

/** The connection keeps this many bytes of further requests while a handler works, and then pauses the socket. */
const maxPipelined = 64 * 1024;

/**
 * A socket gets this many bytes of an answer at once, and the next when the system has taken them. With TLS the runtime
 * keeps several copies of what a socket has, and frees those of a closed connection with the next collection of garbage.
 */
const pieceBytes = 64 * 1024;

/** How many milliseconds an ending connection still accepts bytes, so that its caller can read the answer. */
const lingerTime = 2_000;

const nothing: Uint8Array = new Uint8Array(0);

const tooManyBodies = plainAnswer(503, "too many large requests are being answered");

/** One HTTP/1.1 connection: reads requests, one after the other, and writes their answers. */
export class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  /** The number of the certificate with which the connection began. */
  readonly #generation: number;
  readonly #authenticated: boolean;
  readonly #address: string;
  #activity: Activity = "new";
  /** The deadline of the activity, on the clock of `performance.now()`. */
  #until: number;
  /** Bytes that no request has taken yet. */
  #rest: Uint8Array = nothing;
  #head: RequestHead | undefined;
  #body: Body | undefined;
  #share: Share | undefined;
  /** The body of the request that a handler works on. */
  #content: Uint8Array = nothing;
  #callerIsDone = false;
  /** The answer that is being written, and the part of it that the socket does not have yet. */
  #written: Uint8Array = nothing;
  #unsent: Uint8Array = nothing;
  /** Whether the connection ends with that answer. */
  #isLast = false;
  /** When the caller began to leave answers unread. */
  #unreadSince = 0;

  constructor(socket: Socket, service: Service, { generation, authenticated }: {
    readonly generation: number;
    readonly authenticated: boolean;
  }) {
    this.#socket = socket;
    this.#service = service;
    this.#generation = generation;
    this.#authenticated = authenticated;
    this.#address = socket.remoteAddress ?? "";
    this.#until = performance.now() + service.limits.newTime;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => this.#received(bytes));
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#ended());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#release();
      this.#freeAnswer();
    });
  }

  get activity(): Activity {
    return this.#activity;
  }

  /** The deadline of the activity. Of two equal activities, the one with the later deadline began later. */
  get until(): number {
    return this.#until;
  }

  /** Bytes of answers that the system has not taken yet, because the caller does not read. */
  get unread(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength + this.#unsent.length;
  }

  /** When the connection began to have unread bytes. */
  get unreadSince(): number {
    return this.#unreadSince;
  }

  /** Extends the deadline, because this process itself was blocked. */
  extend(milliseconds: number): void {
    this.#until += milliseconds;
  }

  /** Ends the connection if its activity has exceeded the deadline. */
  expire(now: number): void {
    if (now <= this.#until) return;
    switch (this.#activity) {
      case "new":
      case "idle":
        return this.end();
      case "head":
        return this.#refuse(plainAnswer(408, "the head of the request did not arrive in time"));
      case "body":
        return this.#refuse(
          this.#share?.waiting === true
            ? tooManyBodies
            : plainAnswer(408, "the body of the request did not arrive in time"),
        );
      case "writing":
      case "lingering":
        this.#socket.destroy();
    }
  }

  /** Ends a connection that has no request. */
  end(): void {
    this.#linger();
    this.#socket.end();
  }

  /** Closes the connection at once, in whatever state. */
  destroy(): void {
    this.#socket.destroy();
  }

  #received(bytes: Uint8Array): void {
    switch (this.#activity) {
      case "lingering":
        return giveBack(bytes);
      case "new":
      case "idle":
        this.#begin("head", this.#service.limits.headTime);
        return this.#readHead(bytes);
      case "head":
        return this.#readHead(Buffer.concat([this.#rest, bytes]));
      case "body":
        // The socket is paused while the share waits, but it still delivers bytes that it had already read.
        if (this.#share!.waiting) {
          if (!this.#share!.keep(bytes.length)) return this.#refuse(tooManyBodies);
          break;
        }
        return this.#progressed(this.#body!.take(bytes));
    }
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.#rest.length > maxPipelined) this.#socket.pause();
  }

  #begin(activity: Activity, milliseconds: number): void {
    this.#activity = activity;
    this.#until = performance.now() + milliseconds;
  }

  #readHead(given: Uint8Array): void {
    const { limits, screen, answerTime } = this.#service;
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    // RFC 9112, section 2.2: a server ignores an empty line before a request.
    const start = bytes[0] === 13 && bytes[1] === 10 ? 2 : 0;
    const end = endOfHead(bytes, { from: start, most: limits.headBytes });
    if (end < 0 && bytes.length > limits.headBytes) {
      return this.#refuse(plainAnswer(431, `the head is larger than ${limits.headBytes} bytes`));
    }
    if (end < 0) {
      this.#rest = bytes;
      return;
    }
    this.#rest = nothing;
    const head = readHead(bytes.toString("latin1", start, end));
    if ("status" in head) return this.#refuse(plainAnswer(head.status, head.message));
    this.#head = head;
    const { method, target, body } = head;
    const refused = screen({ method, target, authenticated: this.#authenticated, address: this.#address });
    if (refused !== undefined) return this.#refuse(refused);
    const after = bytes.subarray(end + 4);
    if (body !== "chunked" && body.length === 0) {
      // Requests without a body, such as health checks and metrics, do not wait in the queue.
      this.#activity = "handling";
      this.#until = Infinity;
      this.#rest = after;
      return this.#handle(nothing);
    }
    if (body !== "chunked" && body.length > limits.bodyBytes) {
      const { status, message } = tooLarge(limits.bodyBytes);
      return this.#refuse(plainAnswer(status, message));
    }
    this.#begin("body", Math.min(limits.bodyTime, answerTime(target)));
    const { budget, smallBudget } = this.#service;
    const isSmall = body !== "chunked" && body.length <= limits.smallBodyBytes;
    this.#share = (isSmall ? smallBudget : budget).share(() => this.#roomMade());
    this.#body = new Body(body, this.#share, limits.bodyBytes);
    if (head.expectsContinue) this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    if (after.length > 0) this.#progressed(this.#body.take(after));
  }

  /** Resumes the body, because the budget has made room for its held bytes. */
  #roomMade(): void {
    this.#begin("body", this.#service.limits.bodyTime);
    const rest = this.#rest;
    this.#rest = nothing;
    this.#socket.resume();
    this.#progressed(this.#body!.goOn());
    if (rest.length > 0) this.#received(rest);
  }

  #progressed(progress: BodyProgress): void {
    const { turns, answerTime, limits } = this.#service;
    switch (progress.kind) {
      case "more":
        return;
      case "waits":
        if (!this.#share!.keep(progress.bytes)) return this.#refuse(tooManyBodies);
        this.#socket.pause();
        return this.#begin("body", limits.waitTime);
      case "refused":
        return this.#refuse(plainAnswer(progress.status, progress.message));
      case "done": {
        const { body, rest } = progress;
        this.#rest = rest;
        this.#body = undefined;
        this.#activity = "handling";
        this.#until = Infinity;
        turns.add({
          caller: this,
          run: () => this.#handle(body),
          shed: () =>
            this.#answer(plainAnswer(503, "more requests are waiting than can be answered in time")),
          until: performance.now() + answerTime(this.#head!.target),
        });
      }
    }
  }

  #handle(body: Uint8Array): void {
    if (this.#socket.destroyed) return;
    const { method, target, headers } = this.#head!;
    this.#content = body;
    try {
      const answer = this.#service.handler({ method, target, headers, body });
      if (answer instanceof Promise) {
        answer.then((given) => this.#answer(given), (cause) => this.#broke(cause));
      } else this.#answer(answer);
    } catch (cause) {
      this.#broke(cause);
    }
  }

  #broke(cause: unknown): void {
    this.#service.problem(
      `a request could not be handled: ${cause instanceof Error ? cause.message : cause}`,
    );
    this.#answer(plainAnswer(500, "internal error"));
  }

  /** Answers a request that the connection has read completely, and does then what its caller need not wait for. */
  #answer(answer: HandlerAnswer): void {
    this.#send(answer);
    answer.afterwards?.();
  }

  #send(answer: ListenerAnswer): void {
    const { keepAlive = false, method } = this.#head ?? {};
    const close = !keepAlive || this.#callerIsDone || this.#service.ends(this.#generation);
    const bytes = answerBytes(answer, { close, isHead: method === "HEAD", date: this.#service.date.text() });
    // The next request may be in the same buffer.
    if (this.#rest.buffer !== this.#content.buffer) giveBack(this.#content);
    this.#content = nothing;
    this.#head = undefined;
    this.#release();
    this.#service.answered();
    if (this.#socket.destroyed) return;
    this.#begin("writing", this.#service.limits.writeTime);
    const { turns, outbox } = this.#service;
    if (close) this.#write(bytes, true);
    else outbox.add(() => this.#write(bytes, false), turns.areCrowded ? "with others" : "alone");
  }

  #write(bytes: Uint8Array, isLast: boolean): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength === 0) this.#unreadSince = performance.now();
    this.#written = this.#unsent = bytes;
    this.#isLast = isLast;
    const hasRoom = this.#writePieces();
    this.#service.unread.add(bytes.length);
    if (hasRoom) this.#next();
  }

  /** Writes the answer until the system takes no more. Returns whether there is room for another answer. */
  #writePieces(): boolean {
    for (;;) {
      const piece = this.#unsent.length > pieceBytes ? this.#unsent.subarray(0, pieceBytes) : this.#unsent;
      this.#unsent = this.#unsent.subarray(piece.length);
      const isEnd = this.#unsent.length === 0;
      if (isEnd && this.#isLast) {
        this.#socket.end(piece, () => this.#linger());
        return false;
      }
      const hasRoom = this.#socket.write(piece);
      if (!isEnd && hasRoom) continue;
      // A piece that the socket still has must keep its memory.
      if (isEnd && this.#socket.writableLength === 0) this.#freeAnswer();
      else if (hasRoom) this.#written = nothing;
      return hasRoom;
    }
  }

  #drained(): void {
    if (this.#unsent.length > 0 && !this.#writePieces()) return;
    this.#freeAnswer();
    if (this.#activity === "writing") this.#next();
  }

  #freeAnswer(): void {
    giveBack(this.#written);
    this.#written = this.#unsent = nothing;
  }

  /** Answers a request without reading it to its end. The connection therefore cannot take another request. */
  #refuse(answer: ListenerAnswer): void {
    this.#release();
    const isHead = this.#head?.method === "HEAD";
    this.#linger();
    this.#socket.end(answerBytes(answer, { close: true, isHead, date: this.#service.date.text() }));
    this.#socket.resume();
  }

  #linger(): void {
    this.#begin("lingering", lingerTime);
    this.#freeAnswer();
    this.#rest = nothing;
    this.#socket.resume();
  }

  /** Makes the connection ready for the next request. */
  #next(): void {
    this.#begin("idle", this.#service.limits.idleTime);
    if (this.#rest.length === 0) {
      if (this.#callerIsDone) this.end();
      return;
    }
    // Deferred, so that a caller that sends thousands of requests together does not block the event loop.
    this.#activity = "handling";
    setImmediate(() => {
      if (this.#socket.destroyed) return;
      const rest = this.#rest;
      this.#rest = nothing;
      this.#begin("head", this.#service.limits.headTime);
      this.#socket.resume();
      this.#readHead(rest);
    });
  }

  /** Handles the end of the caller's side: the caller sends no more. */
  #ended(): void {
    this.#callerIsDone = true;
    if (this.#activity !== "handling" && this.#activity !== "writing") this.#socket.end();
  }

  #release(): void {
    this.#share?.release();
    this.#share = this.#body = undefined;
  }
}
