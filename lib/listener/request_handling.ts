import type { Socket } from "node:net";
import { plainAnswer } from "./answer_bytes.ts";
import type { HandlerAnswer } from "./handler.ts";
import type { RequestHead } from "./request_head.ts";
import type { Service } from "./service.ts";

/** The parts of a connection that handling its requests needs. */
export interface HandlingConnection {
  readonly socket: Socket;
  readonly service: Service;
  /** Answers a request that has arrived completely. */
  readonly answer: (answer: HandlerAnswer) => void;
}

/** Gives the requests of one connection to the handler, at once or at their turn. */
export class RequestHandling {
  readonly #connection: HandlingConnection;

  constructor(connection: HandlingConnection) {
    this.#connection = connection;
  }

  /** Handles a request at its turn. It is rejected when its answer would come too late. */
  atTurn(head: RequestHead, body: Uint8Array): void {
    const { service: { turns, answerTime }, answer } = this.#connection;
    turns.add({
      caller: this,
      run: () => this.now(head, body),
      shed: () => answer(plainAnswer(503, "more requests are waiting than can be answered in time")),
      until: performance.now() + answerTime(head.target),
    });
  }

  /** Handles a request at once, unless its caller has gone. */
  now({ method, target, headers }: RequestHead, body: Uint8Array): void {
    const { socket, service, answer } = this.#connection;
    if (socket.destroyed) return;
    try {
      const given = service.handler({ method, target, headers, body });
      if (given instanceof Promise) given.then(answer, (cause) => this.#failed(cause));
      else answer(given);
    } catch (cause) {
      this.#failed(cause);
    }
  }

  /** Answers a request whose handler threw, which is a bug. */
  #failed(cause: unknown): void {
    const { service, answer } = this.#connection;
    service.problem(`a request could not be handled: ${cause instanceof Error ? cause.message : cause}`);
    answer(plainAnswer(500, "internal error"));
  }
}
