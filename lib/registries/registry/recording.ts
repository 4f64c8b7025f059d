import {
  asObject,
  asString,
  asTextMap,
  Fault,
  field,
  isFault,
  type Json,
  parseJson,
  textField,
} from "../../json/mod.ts";
import type { Clock } from "../../ports.ts";
import type { Content, Reading, RegistryAccess, RegistryReader } from "./registry_reader.ts";
import { RegistryFault } from "./registry_fault.ts";

/**
 * A layer between the registries and the code that verifies images. A recorder passes reads on and keeps the answers; a
 * recording answers reads itself.
 */
export interface ImageSource {
  reader(registries: RegistryReader): RegistryReader;
  /** Returns the trusted root of a TUF mirror (empty: the installation's); `given` reads the present one. */
  trustedRoot(mirror: string, given: () => Promise<string | undefined>): Promise<string | undefined>;
  /** The clock by which signatures are verified. */
  clock(system: Clock): Clock;
}

/**
 * The answers of registries about images, with the trusted roots and the time that verification used. {@link
 * ImageRecorder} writes it, {@link RecordedImages} answers from it.
 */
interface Recording {
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  /** The answers, by `REGISTRY/REPOSITORY/PATH`. */
  readonly answers: ReadonlyMap<string, Content | RegistryFault>;
  /** The trusted roots, by TUF mirror; empty for the root of the installation. */
  readonly trustedRoots: ReadonlyMap<string, string>;
}

const recordingFormat = { apiVersion: "postern.dev/v1alpha1", kind: "RecordedImages" };

/** Keeps all answers of registries and makes a file of them, from which {@link RecordedImages} answers the same. */
export class ImageRecorder implements ImageSource {
  readonly #answers = new Map<string, Content | RegistryFault>();
  readonly #trustedRoots = new Map<string, string>();

  reader(registries: RegistryReader): RegistryReader {
    return {
      read: async (access, reading) => {
        const answer = await registries.read(access, reading);
        this.#answers.set(keyOf(access, reading), answer);
        return answer;
      },
    };
  }

  async trustedRoot(mirror: string, given: () => Promise<string | undefined>): Promise<string | undefined> {
    const text = await given();
    if (text !== undefined) this.#trustedRoots.set(mirror, text);
    return text;
  }

  clock(system: Clock): Clock {
    return system;
  }

  /** How many answers were kept. */
  get size(): number {
    return this.#answers.size;
  }

  /**
   * The messages of registries that could not be reached. The recording holds these failures too, and its author
   * seldom wants that.
   */
  get unreachable(): readonly string[] {
    const faults = this.#answers.values().filter((answer) => answer instanceof RegistryFault);
    return faults.filter(({ reached }) => !reached).map(({ message }) => message).toArray();
  }

  /** The text of the file. */
  text(clock: Clock): string {
    const answers = [...this.#answers].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([key, answer]): [string, Json] => [key, writtenAnswer(answer)]);
    const recording = {
      ...recordingFormat,
      recordedAt: new Date(clock.now()).toISOString(),
      answers: Object.fromEntries(answers),
      trustedRoots: Object.fromEntries(this.#trustedRoots),
    };
    return `${JSON.stringify(recording, null, 2)}\n`;
  }
}

/** Answers reads from a recording without calling a registry. Its clock stands at the time of the recording. */
export class RecordedImages implements ImageSource {
  readonly #file: string;
  readonly #recording: Recording;

  private constructor(file: string, recording: Recording) {
    this.#file = file;
    this.#recording = recording;
  }

  /** Reads the text of a file; the fault says what is wrong with it. */
  static read(text: string, file: string): RecordedImages | Fault {
    const recording = readRecording(parseJson(text));
    return isFault(recording)
      ? new Fault(`${file}: ${recording.message}`)
      : new RecordedImages(file, recording);
  }

  reader(): RegistryReader {
    return {
      read: (access, reading) => {
        const key = keyOf(access, reading);
        const answer = this.#recording.answers.get(key);
        if (answer !== undefined) return Promise.resolve(answer);
        const why = `${key} is not among the images recorded in ${this.#file}: record them again`;
        return Promise.resolve(new RegistryFault(why));
      },
    };
  }

  /** Prefers the recorded root, because the present one may have been renewed since. */
  trustedRoot(mirror: string, given: () => Promise<string | undefined>): Promise<string | undefined> {
    const text = this.#recording.trustedRoots.get(mirror);
    return text === undefined ? given() : Promise.resolve(text);
  }

  clock(): Clock {
    const { recordedAt } = this.#recording;
    return { now: () => recordedAt };
  }
}

function keyOf({ reference: { registry, repository } }: RegistryAccess, { path }: Reading): string {
  return `${registry}/${repository}/${path}`;
}

/** The headers that Postern reads from an answer. */
const headerNames = ["content-type", "link"] as const;

function writtenAnswer(answer: Content | RegistryFault): Json {
  if (isFault(answer)) {
    const { status, reached, message } = answer;
    return { ...(status === undefined ? reached && { reached } : { status }), message };
  }
  const headers = headerNames.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const isText = new TextEncoder().encode(answer.text).length === answer.bytes.length &&
    !answer.text.includes("\uFFFD");
  return {
    headers: Object.fromEntries(headers),
    ...(isText ? { text: answer.text } : { base64: answer.bytes.toBase64() }),
  };
}

function readRecording(value: Json | undefined): Recording | Fault {
  if (field(value, "kind") !== recordingFormat.kind) return new Fault(`this is no recording of images`);
  if (field(value, "apiVersion") !== recordingFormat.apiVersion) {
    return new Fault(`the apiVersion is not ${recordingFormat.apiVersion}: record the images again`);
  }
  const recordedAt = new Date(textField(value, "recordedAt")).getTime();
  if (Number.isNaN(recordedAt)) return new Fault("recordedAt is no time");
  const answers = new Map<string, Content | RegistryFault>();
  for (const [key, written] of Object.entries(asObject(field(value, "answers")) ?? {})) {
    const answer = readAnswer(written);
    // A `RegistryFault` is a recorded answer; any other fault means that the file is broken.
    if (isFault(answer) && !(answer instanceof RegistryFault)) {
      return new Fault(`the answer for ${key} ${answer.message}`);
    }
    answers.set(key, answer);
  }
  const roots = asTextMap(field(value, "trustedRoots"));
  return { recordedAt, answers, trustedRoots: new Map(Object.entries(roots)) };
}

function readAnswer(written: Json): Content | RegistryFault | Fault {
  const message = asString(field(written, "message"));
  if (message !== undefined) {
    const status = field(written, "status");
    return new RegistryFault(message, {
      ...(typeof status === "number" && { status }),
      ...(field(written, "reached") === true && { reached: true }),
    });
  }
  const headers = new Headers();
  for (const name of headerNames) {
    const header = asString(field(field(written, "headers"), name));
    if (header !== undefined) headers.set(name, header);
  }
  const text = asString(field(written, "text")), base64 = asString(field(written, "base64"));
  if (text !== undefined) return { text, bytes: new TextEncoder().encode(text), headers };
  try {
    const bytes = Uint8Array.fromBase64(base64 ?? "?");
    return { text: new TextDecoder().decode(bytes), bytes, headers };
  } catch {
    return new Fault("has neither a text nor a message, and its base64 cannot be read");
  }
}
