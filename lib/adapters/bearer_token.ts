import type { Clock } from "../ports.ts";

/** Where a token comes from, and how to read it. */
export interface BearerTokenOptions {
  readonly file: string;
  readonly readText: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** Milliseconds for which the last reading holds. Kubernetes renews tokens long before they end. */
  readonly holds: number;
}

/** A token in a file that somebody else renews, such as a pod's service account token. */
export class BearerToken {
  readonly #options: BearerTokenOptions;
  #token = "";
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: BearerTokenOptions) {
    this.#options = options;
  }

  /** The token; read again when the last reading is old. A file that is gone for a moment leaves the last token. */
  async current(): Promise<string> {
    const { clock, holds } = this.#options;
    if (clock.now() - this.#readAt >= holds) await this.#read();
    return this.#token;
  }

  /** Reads again because the server refused the token; whether it is another one now. */
  async renewed(): Promise<boolean> {
    const refused = this.#token;
    await this.#read();
    return this.#token !== refused;
  }

  async #read(): Promise<void> {
    try {
      const token = (await this.#options.readText(this.#options.file)).trim();
      if (token !== "") this.#token = token;
      this.#readAt = this.#options.clock.now();
    } catch {
      // The next call tries again; until then the server decides about the last token.
    }
  }
}
