import { BodyText, decodeBody } from "./body_text.ts";
import { type HttpError, maxReviewBytes } from "./read_review.ts";

/** The bounds of reading bodies. */
export interface BodyLimits {
  /** The most bytes of all bodies that are being read. */
  readonly allBytes: number;
  /** Milliseconds until a body must be complete. */
  readonly time: number;
}

/** The most bytes of a body that is read at its announced length: it needs little memory, and this is faster. */
const smallBytes = 64 * 1024;

/**
 * Reads the bodies of web requests (`deno serve` and edge platforms). The bytes of a long body are counted as they
 * arrive, so that announcing one costs nothing.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  #used = 0;

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { allBytes: 12 * 1024 * 1024, time: 5_000, ...limits };
  }

  /** The text of a body, or why it was not read. */
  async read(request: Request): Promise<string | HttpError> {
    const { headers } = request;
    const length = Number(headers.get("content-length") ?? NaN);
    if (length > maxReviewBytes) return tooLarge;
    const isSmall = length <= smallBytes && headers.get("transfer-encoding") === null;
    if (isSmall && !this.#take(length)) return tooMany;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<HttpError>((resolve) => {
      timer = setTimeout(() => resolve(tooLate), this.#limits.time);
    });
    try {
      if (!isSmall) return await this.#readStream(request, late);
      const read = await Promise.race([request.arrayBuffer(), late]);
      return "status" in read ? read : decodeBody(new Uint8Array(read));
    } finally {
      clearTimeout(timer);
      if (isSmall) this.#used -= length;
    }
  }

  async #readStream({ body }: Request, late: Promise<HttpError>): Promise<string | HttpError> {
    if (body === null) return "";
    const reader = body.getReader();
    const text = new BodyText();
    let bytes = 0;
    try {
      for (;;) {
        const next = await Promise.race([reader.read(), late]);
        const error = "status" in next ? next : this.#httpErrorOf(bytes, next.value);
        if (error !== undefined) {
          void reader.cancel().catch(() => {});
          return error;
        }
        if ("status" in next || next.value === undefined) return text.end();
        bytes += next.value.length;
        text.add(next.value);
      }
    } finally {
      this.#used -= bytes;
    }
  }

  #httpErrorOf(bytes: number, chunk: Uint8Array | undefined): HttpError | undefined {
    if (chunk === undefined) return undefined;
    if (bytes + chunk.length > maxReviewBytes) return tooLarge;
    return this.#take(chunk.length) ? undefined : tooMany;
  }

  #take(bytes: number): boolean {
    if (this.#used + bytes > this.#limits.allBytes) return false;
    this.#used += bytes;
    return true;
  }
}

/** The answer to a body that is larger than a review may be. */
export const tooLarge: HttpError = {
  status: 413,
  message: `the body is larger than ${maxReviewBytes} bytes`,
  uid: "",
};
const tooMany: HttpError = { status: 503, message: "too many large requests are being read", uid: "" };
const tooLate: HttpError = {
  status: 408,
  message: "the body of the request did not arrive in time",
  uid: "",
};
