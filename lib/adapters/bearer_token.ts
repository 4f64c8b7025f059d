import { type Clock, isYounger } from "../ports.ts";

/** The file of a bearer token, and how to read it. */
export interface BearerTokenOptions {
  readonly file: string;
  readonly readText: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** Milliseconds after which the file is read again. Kubernetes renews tokens long before they expire. */
  readonly holds: number;
}

/** A token in a file that another program renews, such as a pod's service account token. */
export class BearerToken {
  readonly #options: BearerTokenOptions;
  #token = "";
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: BearerTokenOptions) {
    this.#options = options;
  }

  /** Returns the token; reads the file again when the last read is old. If the file cannot be read, the token stays. */
  async current(): Promise<string> {
    const { clock, holds } = this.#options;
    if (!isYounger(clock, this.#readAt, holds)) await this.#read();
    return this.#token;
  }

  /** Reads the file again after the server refused the token. Returns whether the token is a new one. */
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
      // The next call reads the file again; until then calls send the last token, and the server decides about it.
    }
  }
}
