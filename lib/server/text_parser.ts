import { completed, type Stages } from "../json/mod.ts";
import type { Scheduler } from "../ports.ts";
import { inSlices } from "../slices.ts";
import { type HttpError, tooDeep } from "./read_review.ts";
import { type Free, type HeapRoom, ReviewMemory } from "./review_memory.ts";

/** How many times a text is in memory while it is parsed: as bytes, as text, and in pieces. */
const copies = 3;

/** The bytes of heap of all long texts together until they are answered, where the server has no other limit. */
const defaultMemory = 40 * 1024 * 1024;

/** The characters that are parsed at once. */
const shortText = 512 * 1024;

/** The memory and the scheduler of a {@link TextParser}. */
export interface TextParserOptions {
  readonly memory?: number | undefined;
  /** Whether the heap has room for a text, beside all else; it always has without one. */
  readonly hasRoom?: HeapRoom | undefined;
  /** Texts are parsed at once without one. */
  readonly scheduler?: Scheduler | undefined;
}

/** How to parse one text. */
export interface TextParsing<T> {
  /** The bytes of heap that its answer takes, its value included, without the text. */
  readonly bytes: number;
  /** Milliseconds within which there must be room for it. */
  readonly within: number;
  /** Parses it in stages of `most` characters. */
  readonly read: (text: string, most?: number) => Stages<T>;
}

/** A parsed text. Its memory is held until it is freed. */
export interface ParsedText<T> {
  readonly value: T;
  readonly free: Free;
}

/** Parses texts of requests as soon as there is room for their values in the heap, long ones in stages. */
export class TextParser {
  readonly #memory: ReviewMemory;
  readonly #scheduler: Scheduler | undefined;

  constructor({ memory = defaultMemory, hasRoom, scheduler }: TextParserOptions) {
    this.#memory = new ReviewMemory(memory, hasRoom);
    this.#scheduler = scheduler;
  }

  /** Parses a text; an HTTP error when it needs too much memory, or there is no room for it in time. */
  async parse<T>(text: string, { bytes, within, read }: TextParsing<T>): Promise<ParsedText<T> | HttpError> {
    if (!this.#memory.fits(bytes)) return tooDeep(text) ?? tooDense;
    const grant = await this.#memory.take(bytes + copies * text.length, within);
    if (grant === undefined) return tooMany;
    const { parsed, free } = grant;
    this.#scheduler?.beforeSlice?.();
    try {
      const value = await this.#read(text, read);
      parsed();
      return { value, free };
    } catch (cause) {
      free();
      throw cause;
    }
  }

  async #read<T>(text: string, read: TextParsing<T>["read"]): Promise<T> {
    if (this.#scheduler === undefined || text.length <= shortText) return completed(read(text, Infinity));
    const value = await inSlices(read(text), this.#scheduler);
    await this.#scheduler.pause();
    return value;
  }
}

const tooDense: HttpError = {
  status: 413,
  message: "the request has too many values: it would take too much memory",
  uid: "",
};
const tooMany: HttpError = { status: 503, message: "too many large requests are being answered", uid: "" };
