import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers";
import type { Socket } from "node:net";
import { answerBytes, plainAnswer } from "./answer_bytes.ts";
import { AnswerWriter } from "./answer_writer.ts";
import { type BodyConnection, BodyReading } from "./body_reading.ts";
import { giveBack, giveBackAll } from "./give_back.ts";
import type { Caller } from "./caller.ts";
import type { HandlerAnswer, ListenerAnswer } from "./handler.ts";
import { InputBuffer } from "./input_buffer.ts";
import { SocketReading } from "./socket_reading.ts";
import { headOf } from "./head_of_bytes.ts";
import { RequestHandling } from "./request_handling.ts";
import type { RequestHead } from "./request_head.ts";
import type { Service } from "./service.ts";
import { type Activity, TimedActivity } from "./timed_activity.ts";

/** The connection keeps this many bytes of further requests while a handler works, and then reads no more. */
const maxPipelined = 16 * 1024;

/** How many milliseconds an ending connection still accepts bytes, so that its caller can read the answer. */
const lingerTime = 2_000;

const nothing: Uint8Array = new Uint8Array(0);

/** One HTTP/1.1 connection: reads requests, one after the other, and writes their answers. */
export class Connection {
  readonly #socket: Socket;
  readonly #reading: SocketReading;
  readonly #input: InputBuffer;
  readonly #answers: AnswerWriter;
  readonly #service: Service;
  readonly #caller: Caller;
  readonly #address: string;
  readonly #activity: TimedActivity;
  #head: RequestHead | undefined;
  readonly #bodies: BodyConnection;
  #body: BodyReading | undefined;
  readonly #handling: RequestHandling;
  /** Whether the caller sent the request before the answer to the former one. */
  #isAhead = false;
  #callerIsDone = false;

  constructor(socket: Socket, service: Service, caller: Caller) {
    this.#socket = socket;
    this.#reading = new SocketReading(socket, caller.transport);
    this.#input = new InputBuffer(service.ahead);
    this.#answers = new AnswerWriter(socket, service.unread);
    this.#service = service;
    this.#caller = caller;
    this.#address = socket.remoteAddress ?? "";
    this.#activity = new TimedActivity(service.limits.newTime);
    this.#bodies = {
      service,
      reading: this.#reading,
      input: this.#input,
      activity: this.#activity,
      complete: (body, rest) => {
        this.#input.lend(body);
        this.#receivedAll(rest);
        this.#handling.atTurn(this.#head!, body);
      },
      goOn: (bytes) => {
        if (bytes.length > 0) this.#received(bytes);
        if (this.#callerIsDone) this.#ended();
      },
      refuse: (answer) => this.#refuse(answer),
    };
    this.#handling = new RequestHandling({ socket, service, answer: (answer) => this.#answer(answer) });
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => this.#received(bytes));
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#ended());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#free());
  }

  get activity(): Activity {
    return this.#activity.current;
  }

  /** The deadline of the activity. Of two equal activities, the one with the later deadline began later. */
  get until(): number {
    return this.#activity.until;
  }

  /** Bytes of memory for answers that the system has not taken yet, because the caller does not read. */
  get unread(): number {
    return this.#answers.unread;
  }

  /** When the system last took bytes of an answer, on the clock of `performance.now()`. */
  get stalledSince(): number {
    return this.#answers.stalledSince;
  }

  /** Extends the deadline, because this process itself was blocked. */
  extend(milliseconds: number): void {
    this.#activity.extend(milliseconds);
  }

  /** Ends the connection if its activity has exceeded the deadline. */
  expire(now: number): void {
    if (!this.#activity.isLate(now, { holdsUp: this.#body?.holdsUp === true })) return;
    switch (this.#activity.current) {
      case "new":
      case "idle":
        return this.end();
      case "head":
        return this.#refuse(plainAnswer(408, "the head of the request did not arrive in time"));
      case "body":
        return this.#body?.expire();
      case "writing":
      case "lingering":
        this.destroy();
    }
  }

  /** Ends a connection that has no request. */
  end(): void {
    this.#linger();
    this.#socket.end();
  }

  /**
   * Closes the connection at once, in whatever state, and frees its memory: while many callers connect, the runtime
   * emits the "close" event a second later.
   */
  destroy(): void {
    this.#socket.destroy();
    this.#free();
  }

  #received(bytes: Uint8Array): void {
    // A closed socket may deliver what it had read before.
    if (this.#socket.destroyed) return giveBack(bytes);
    switch (this.#activity.current) {
      case "lingering":
        return giveBack(bytes);
      case "new":
      case "idle":
        this.#activity.begin("head", this.#service.limits.headTime);
        return this.#readHead(bytes);
      case "head":
        return this.#readHead(this.#input.with(bytes));
      case "body":
        return this.#body!.take(bytes);
    }
    this.#input.addAhead(bytes);
    this.#readAhead();
  }

  /** Reads on while a handler works, unless the caller has sent too much ahead. */
  #readAhead(): void {
    if (this.#input.isCut || this.#input.length > maxPipelined) this.#reading.stop();
    else this.#reading.start();
  }

  #readHead(given: Uint8Array): void {
    const { limits, screen } = this.#service;
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    const found = headOf(bytes, limits.headBytes);
    if (found === "incomplete") {
      this.#input.keep(bytes);
      return this.#reading.start();
    }
    if ("status" in found) return this.#refuse(found);
    this.#input.keep(nothing);
    const { head, rest } = found;
    this.#head = head;
    const { method, target, body } = head;
    const { authenticated } = this.#caller, address = this.#address;
    const refused = screen({ method, target, authenticated, address });
    if (refused !== undefined) return this.#refuse(refused);
    if (body !== "chunked" && body.length === 0) {
      // Requests without a body, such as health checks, do not wait in the queue, unless their caller waits for no
      // answer.
      this.#receivedAll(rest);
      if (rest.length === 0) giveBackAll(bytes);
      return this.#isAhead ? this.#handling.atTurn(head, nothing) : this.#handling.now(head, nothing);
    }
    this.#readBody(head, rest);
  }

  /** Begins to read a body, of which some bytes have arrived with the head. */
  #readBody(head: RequestHead, arrived: Uint8Array): void {
    this.#body = BodyReading.begin(head, this.#bodies);
    if (this.#body === undefined) return;
    if (head.expectsContinue) this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    if (arrived.length > 0) this.#body.take(arrived);
  }

  /** Notes that a request has arrived completely, and keeps the bytes behind it. */
  #receivedAll(rest: Uint8Array): void {
    this.#activity.begin("handling", Infinity);
    this.#input.keepAhead(rest);
    this.#readAhead();
  }

  /** Answers a request that the connection has read completely, and does then what its caller need not wait for. */
  #answer(answer: HandlerAnswer): void {
    this.#send(answer);
    // At once, although the answer may still wait for others: V8 copies each request that waits when it collects
    // garbage.
    answer.afterwards?.();
  }

  #send(answer: ListenerAnswer): void {
    const { keepAlive = false, method } = this.#head ?? {};
    const close = !keepAlive || this.#callerIsDone || this.#input.isCut ||
      this.#service.ends(this.#caller.generation);
    const bytes = answerBytes(answer, { close, isHead: method === "HEAD", date: this.#service.date.text() });
    this.#input.freeBody();
    this.#head = undefined;
    this.#release();
    this.#service.answered();
    if (this.#socket.destroyed) return;
    this.#activity.begin("writing", this.#service.limits.writeTime);
    const { turns, outbox } = this.#service;
    if (close) this.#write(bytes, () => this.#linger());
    else outbox.add(() => this.#write(bytes), turns.areCrowded ? "with others" : "alone");
  }

  #write(bytes: Uint8Array, ended?: () => void): void {
    if (this.#socket.destroyed) return;
    if (this.#answers.write(bytes, ended)) this.#next();
  }

  #drained(): void {
    if (this.#answers.goOn() && this.#activity.current === "writing") this.#next();
  }

  #free(): void {
    this.#input.take();
    this.#release();
    this.#answers.free();
  }

  /** Answers a request without reading it to its end. The connection therefore cannot take another request. */
  #refuse(answer: ListenerAnswer): void {
    this.#release();
    const isHead = this.#head?.method === "HEAD";
    this.#linger();
    this.#socket.end(answerBytes(answer, { close: true, isHead, date: this.#service.date.text() }));
  }

  #linger(): void {
    this.#activity.begin("lingering", lingerTime);
    this.#answers.free();
    this.#input.take();
    this.#reading.start();
  }

  /** Makes the connection ready for the next request. */
  #next(): void {
    this.#activity.begin("idle", this.#service.limits.idleTime);
    this.#isAhead = this.#input.length > 0;
    if (!this.#isAhead) {
      if (this.#callerIsDone) this.end();
      return;
    }
    // Deferred, so that a caller that sends thousands of requests together does not block the event loop.
    this.#activity.begin("handling", Infinity);
    setImmediate(() => {
      if (this.#socket.destroyed) return;
      const { limits, collectGarbage } = this.#service;
      if (this.#input.length > maxPipelined) collectGarbage();
      this.#activity.begin("head", limits.headTime);
      this.#readHead(this.#input.take());
    });
  }

  /** Handles the end of the caller's side: the caller sends no more. A body that waits may have arrived as a whole. */
  #ended(): void {
    this.#callerIsDone = true;
    const { current } = this.#activity;
    if (current !== "handling" && current !== "writing" && this.#body?.waits !== true) this.#socket.end();
  }

  #release(): void {
    this.#body?.release();
    this.#body = undefined;
  }
}
