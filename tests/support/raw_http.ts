/** HTTP/1.1 written by hand: for requests that no client would send. */

const encoder = new TextEncoder();

/** The head of a POST of JSON, with its empty line. */
export function postHead(path: string, length: number, ...headers: string[]): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A whole POST of JSON. */
export function postBytes(path: string, body: string, ...headers: string[]): Uint8Array {
  const content = encoder.encode(body);
  const head = encoder.encode(postHead(path, content.length, ...headers));
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

/** An answer, or how the connection ended without one. */
export interface RawAnswer {
  /** 0 when the connection ended first. */
  readonly status: number;
  readonly text: string;
}

/** One connection that is written to and read from by hand. */
export class RawConnection implements Disposable {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(64 * 1024);

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(port: number): Promise<RawConnection> {
    return new RawConnection(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Writes everything; false when the other side has closed. */
  async write(bytes: Uint8Array | string): Promise<boolean> {
    const all = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    try {
      for (let at = 0; at < all.length;) at += await this.#connection.write(all.subarray(at));
      return true;
    } catch {
      return false;
    }
  }

  /** Reads one answer. */
  async answer(): Promise<RawAnswer> {
    const decoder = new TextDecoder();
    let text = "", arrived = 0, whole = NaN;
    for (;;) {
      const end = Number.isNaN(whole) ? text.indexOf("\r\n\r\n") : -1;
      if (end >= 0) {
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN);
        whole = encoder.encode(text.slice(0, end + 4)).length + length;
      }
      if (arrived >= whole) return { status: Number(text.slice(9, 12)), text };
      const count = await this.#connection.read(this.#buffer).catch(() => null);
      if (count === null) return { status: 0, text };
      arrived += count;
      text += decoder.decode(this.#buffer.subarray(0, count), { stream: true });
    }
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch { /* it was closed before */ }
  }
}
