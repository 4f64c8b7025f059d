import { type Json, StreamedJson } from "../json/mod.ts";
import type { AnswerReading } from "./answer_reading.ts";
import type { BodySink } from "./body_sink.ts";

/** How an {@link AnswerBody} is read. */
export interface AnswerBodyOptions {
  readonly reading: AnswerReading;
  readonly isJson: boolean;
  /**
   * When there is no room: `wait` leaves the rest of the body at its sender until there is, `end` ends the request. A
   * body that waits on a connection of HTTP/2 would take the room of all others on it.
   */
  readonly whenFull: "wait" | "end";
}

/** Characters of the start of a body that are kept for messages. */
const startLength = 300;

/** The body of an answer: it is parsed as it arrives, and the memory that it takes is counted before it is taken. */
export class AnswerBody implements BodySink {
  readonly #options: AnswerBodyOptions;
  readonly #decoder = new TextDecoder();
  readonly #json: StreamedJson | undefined;
  #parts: string[] = [];
  #length = 0;
  #start = "";
  #value: Json | undefined;

  constructor(options: AnswerBodyOptions) {
    this.#options = options;
    this.#json = options.isJson ? new StreamedJson() : undefined;
  }

  /** The value of JSON, `undefined` when the body was none; text of other types. */
  get value(): Json | undefined {
    return this.#value;
  }

  /** The first characters of the body. */
  get start(): string {
    return this.#start;
  }

  /** Takes the next bytes of the body, and parses them; false ends the request. */
  add(chunk: Uint8Array, signal: AbortSignal): boolean | Promise<boolean> {
    return this.#addText(this.#decoder.decode(chunk, { stream: true }), signal);
  }

  /** Parses what is left. */
  end(signal: AbortSignal): boolean | Promise<boolean> {
    const json = this.#json, rest = this.#decoder.decode();
    if (json === undefined) {
      this.#parts.push(rest);
      this.#value = this.#parts.join("");
      return this.#finish(this.#textSize);
    }
    json.add(rest);
    return this.#holding(json.neededHeap, signal, () => {
      this.#value = json.end();
      return this.#finish(json.heapSize);
    });
  }

  #addText(text: string, signal: AbortSignal): boolean | Promise<boolean> {
    if (this.#start.length < startLength) this.#start = (this.#start + text).slice(0, startLength);
    const json = this.#json, { reading } = this.#options;
    if (json === undefined) {
      this.#parts.push(text);
      this.#length += text.length;
      return this.#holding(this.#textSize, signal, () => true);
    }
    json.add(text);
    if (!json.isDue) return this.#holding(json.heapSize, signal, () => true);
    return this.#holding(json.neededHeap, signal, () => {
      json.parse();
      return reading.hold(json.heapSize);
    });
  }

  /** Bytes of a text whose characters may take two each, and which is in memory twice while its parts are joined. */
  get #textSize(): number {
    return 4 * this.#length;
  }

  #finish(bytes: number): true {
    this.#options.reading.finish(bytes);
    return true;
  }

  /** Does work as soon as there is room for so many bytes. */
  #holding(bytes: number, signal: AbortSignal, work: () => boolean): boolean | Promise<boolean> {
    const { reading, whenFull } = this.#options;
    if (reading.hold(bytes)) return work();
    if (reading.isTooLarge || whenFull === "end") return false;
    return reading.wait(signal).then((hasRoom) => hasRoom && work());
  }
}

/** Whether the content type of an answer is JSON. */
export function isJson(headers: Headers): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get("content-type") ?? "");
}
