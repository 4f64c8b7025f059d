/** The content of chunks without their framing, or the error in the framing. */
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

/** The longest line of the framing in bytes: the size of a chunk with its extensions, or a trailer. */
const maxLine = 256;
/** The most trailers of a body. The listener ignores them; a body has few or none. */
const maxTrailers = 16;

const CR = 13, LF = 10;

/** Decodes a chunked body (RFC 9112, section 7.1), in whatever pieces its bytes arrive. */
export class ChunkedBody {
  #state: "size" | "content" | "end of content" | "trailers" = "size";
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  #line = "";
  #trailers = 0;

  /** Decodes the next bytes. Do not call it again after a problem or after the end of the body. */
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

  /** Handles a complete line. It returns `done` after the last line, and a message when the line is malformed. */
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
