import { parseJson } from "../json/mod.ts";
import { failureOf, noAnswer } from "../kube/mod.ts";
import { type ApiCall, type Clock, elapsedOn } from "../ports.ts";
import { isJson } from "./answer_body.ts";
import { chunksOf, linesOf } from "./body_stream.ts";
import type { ReadConnection } from "./read_connection.ts";
import type { ClientUse } from "./renewed_client.ts";
import { causeOf } from "./transport.ts";
import type { Following } from "./watched_kind.ts";

/**
 * Milliseconds of silence after which a watch that is given up says so: the API server sends a bookmark each minute.
 */
const longestSilence = 90_000;

/** Characters after which no more of an error is read: the API server's errors have some hundred. */
const longestError = 65_536;

/** The call, its signal and the clock of a watch. */
interface OpenWatchOptions {
  readonly call: ApiCall;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A watch that is to be opened. */
export interface WatchToOpen extends OpenWatchOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens a watch on the connection for reads. */
export async function openWatch(
  reads: ReadConnection,
  { url, headers, ...options }: WatchToOpen,
): Promise<Following> {
  const { call } = options;
  // The connection is chosen after everything that takes time: one that is replaced meanwhile is closed.
  const watch = new OpenWatch(reads, options);
  let isOpen = false;
  try {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: watch.signal,
      ...(watch.client !== undefined && { client: watch.client }),
    });
    watch.arrived();
    if (response.status === 200 && response.body !== null) {
      isOpen = true;
      return { ok: true, lines: watch.linesOf(response.body) };
    }
    const text = await watch.errorText(response);
    const body = isJson(response.headers) ? parseJson(text) : undefined;
    return failureOf(call, response.status, body ?? text);
  } catch (error) {
    return noAnswer(call, causeOf(error));
  } finally {
    if (!isOpen) watch.end();
  }
}

/** One watch on the connection for reads: it breaks when the connection is dead, and says when it was silent. */
class OpenWatch {
  readonly #use: ClientUse;
  readonly #broken = new AbortController();
  readonly #options: OpenWatchOptions;
  readonly #release: () => void;
  /** Aborts when the caller ends the watch or its connection is dead. */
  readonly signal: AbortSignal;
  #arrivedAt: number;

  constructor(reads: ReadConnection, options: OpenWatchOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#broken.signal]);
    this.#use = reads.use(options.call.path);
    this.#release = reads.watch(this.#broken);
    this.#arrivedAt = elapsedOn(options.clock);
  }

  get client(): Deno.HttpClient | undefined {
    return this.#use.client;
  }

  arrived(): void {
    this.#arrivedAt = elapsedOn(this.#options.clock);
    this.#use.arrived();
  }

  /** Yields the lines of the answer; it throws when the connection breaks, and ends when the caller ends the watch. */
  async *linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
    try {
      for await (const line of linesOf(body, this.signal)) {
        this.arrived();
        yield line;
      }
      if (this.#broken.signal.aborted) throw new Error("the connection is silent");
    } finally {
      this.end();
    }
  }

  /** Returns the text of an error, cut when it is long: a body may have no end. */
  async errorText({ body }: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body === null ? [] : chunksOf(body, this.signal)) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > longestError) break;
    }
    return text;
  }

  /** Leaves the connection. */
  end(): void {
    this.#release();
    const { clock, signal } = this.#options;
    const waited = elapsedOn(clock) - this.#arrivedAt;
    if (signal.aborted && waited >= longestSilence) this.#use.gaveUp(waited);
  }
}
