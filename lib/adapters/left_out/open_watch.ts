import type { ReadConnection } from "../read_connection.ts";
import type * as full from "../open_watch.ts";

/** Stands in for watches: a bundle reads objects when a request needs them. */
class OpenWatch {
  readonly client: Deno.HttpClient | undefined;
  readonly signal: AbortSignal;

  constructor(_reads: ReadConnection, _options: full.OpenWatchOptions) {
    this.signal = AbortSignal.abort();
  }

  arrived(): void {}

  async *linesOf(_body: ReadableStream<Uint8Array>): AsyncGenerator<string> {}

  errorText(): Promise<string> {
    return Promise.resolve("");
  }

  end(): void {}
}

export { OpenWatch };
