import { plainAnswer } from "./answer_bytes.ts";
import { Body, type BodyProgress, tooLarge } from "./body.ts";
import type { Share } from "./byte_budget.ts";
import type { ListenerAnswer } from "./handler.ts";
import type { InputBuffer } from "./input_buffer.ts";
import type { RequestHead } from "./request_head.ts";
import type { Service } from "./service.ts";
import type { SocketReading } from "./socket_reading.ts";
import type { TimedActivity } from "./timed_activity.ts";

/** The parts of a connection that reading its bodies needs. */
export interface BodyConnection {
  readonly service: Service;
  readonly reading: SocketReading;
  readonly input: InputBuffer;
  readonly activity: TimedActivity;
  /** Takes a body that is complete, and the bytes behind it. */
  readonly complete: (body: Uint8Array, rest: Uint8Array) => void;
  /** Goes on after a wait, with the bytes that waited behind the body's: they belong to it or to the next request. */
  readonly goOn: (bytes: Uint8Array) => void;
  /** Answers the request without reading it to its end. */
  readonly refuse: (answer: ListenerAnswer) => void;
}

const tooManyBodies = plainAnswer(503, "too many large requests are being answered");

/**
 * Reads the body of one request within the budget of all bodies. While there is no room, the connection reads nothing,
 * which stops its caller. The body counts in its budget until {@link release}.
 */
export class BodyReading {
  readonly #connection: BodyConnection;
  readonly #share: Share;
  #body: Body | undefined;

  private constructor(framing: RequestHead["body"], connection: BodyConnection) {
    const { limits, budget, smallBudget } = connection.service;
    const isSmall = framing !== "chunked" && framing.length <= limits.smallBodyBytes;
    this.#connection = connection;
    this.#share = (isSmall ? smallBudget : budget).share(() => this.#roomMade());
    this.#body = new Body(framing, this.#share, limits.bodyBytes);
  }

  /** Begins to read the body that a head announces; `undefined`, with an answer, when it announces too many bytes. */
  static begin({ target, body }: RequestHead, connection: BodyConnection): BodyReading | undefined {
    const { limits, answerTime } = connection.service;
    if (body !== "chunked" && body.length > limits.bodyBytes) {
      const { status, message } = tooLarge(limits.bodyBytes);
      connection.refuse(plainAnswer(status, message));
      return undefined;
    }
    connection.activity.beginBody(Math.min(limits.bodyTime, answerTime(target)), limits.crowdedBodyTime);
    connection.reading.start();
    return new BodyReading(body, connection);
  }

  /** Whether other bodies wait for the bytes of this one, which has not arrived as a whole. */
  get holdsUp(): boolean {
    return this.#share.holdsUp;
  }

  /** Whether it waits for room in the budget. */
  get waits(): boolean {
    return this.#share.waiting;
  }

  /** Takes the next bytes of the connection. */
  take(bytes: Uint8Array): void {
    if (!this.#share.waiting) return this.#progressed(this.#body!.take(bytes));
    // The socket is paused while the share waits, but it still delivers bytes that it had already read.
    const { input, refuse } = this.#connection;
    if (!this.#share.keep(bytes.length)) return refuse(tooManyBodies);
    input.keep(input.with(bytes));
  }

  /** Ends the request, because its body has exceeded its time. */
  expire(): void {
    this.#connection.refuse(
      this.#share.waiting
        ? tooManyBodies
        : plainAnswer(408, "the body of the request did not arrive in time"),
    );
  }

  /** Frees the bytes in the budget, because nobody needs the body any longer. */
  release(): void {
    this.#share.release();
  }

  /** Goes on with the body, because the budget has made room for its held bytes. */
  #roomMade(): void {
    const { service: { limits }, activity, input, reading, goOn } = this.#connection;
    activity.beginBody(limits.bodyTime, limits.crowdedBodyTime);
    const rest = input.take();
    reading.start();
    this.#progressed(this.#body!.goOn());
    goOn(rest);
  }

  #progressed(progress: BodyProgress): void {
    const { service: { limits }, activity, reading, complete, refuse } = this.#connection;
    switch (progress.kind) {
      case "more":
        return;
      case "waits":
        if (!this.#share.keep(progress.bytes)) return refuse(tooManyBodies);
        reading.stop();
        return activity.begin("body", limits.waitTime);
      case "refused":
        return refuse(plainAnswer(progress.status, progress.message));
      case "done":
        this.#body = undefined;
        complete(progress.body, progress.rest);
    }
  }
}
