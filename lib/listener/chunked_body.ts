/** Chunks after their framing was taken off, or what is wrong with it. */
export type Unchunked =
  | {
    /** Content that the bytes held. */
    readonly content: readonly Uint8Array[];
    /** Whether the body is complete. */
    readonly done: boolean;
    /** How many of the bytes belong to the body; the rest is the next request's. */
    readonly used: number;
  }
  | { readonly problem: string };

/** A line of the framing: the size of a chunk with its extensions, or a trailer. */
const maxLine = 256;
/** Trailers are read over; a body has few or none. */
const maxTrailers = 16;

const CR = 13, LF = 10;

/** Takes the framing off a chunked body (RFC 9112, section 7.1), however its bytes are cut into pieces. */
export class ChunkedBody {
  #state: "size" | "content" | "end of content" | "trailers" = "size";
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  #line = "";
  #trailers = 0;

  /** Takes the next bytes. After a problem, and after the end, it is of no more use. */
  take(bytes: Uint8Array): Unchunked {
    const content: Uint8Array[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "content") {
        const part = bytes.subarray(at, at + this.#left);
        content.push(part);
        at += part.length;
        this.#left -= part.length;
        if (this.#left === 0) this.#state = "end of content";
        continue;
      }
      const byte = bytes[at++]!;
      if (byte !== LF) {
        if (this.#line.length >= maxLine) return { problem: "a line of the chunked body is too long" };
        this.#line += String.fromCharCode(byte);
        continue;
      }
      const ended = this.#endLine();
      if (ended === "done") return { content, done: true, used: at };
      if (ended !== undefined) return { problem: ended };
    }
    return { content, done: false, used: at };
  }

  /** A line is complete: `done` after the last, a text when it is malformed. */
  #endLine(): string | undefined {
    const line = this.#line;
    this.#line = "";
    if (line.charCodeAt(line.length - 1) !== CR) return "a line of the chunked body does not end with CR LF";
    const text = line.slice(0, -1);
    switch (this.#state) {
      case "size": {
        const size = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e]*)?$/.exec(text)?.[1];
        if (size === undefined) return "the size of a chunk is malformed";
        this.#left = parseInt(size, 16);
        this.#state = this.#left === 0 ? "trailers" : "content";
        return undefined;
      }
      case "trailers":
        if (text === "") return "done";
        return ++this.#trailers > maxTrailers ? "the chunked body has too many trailers" : undefined;
      default:
        this.#state = "size";
        return text === "" ? undefined : "a chunk is longer than its size";
    }
  }
}
