/** The parts that the benchmark passes to each of its sections. */
import type { Image } from "../support/image.ts";
import type { Inputs } from "./inputs.ts";
import type { KyvernoFiles } from "./kyverno.ts";
import type { Results } from "./results.ts";
import type { Probe } from "./server.ts";

/** One run of the benchmark. */
export interface Bench {
  readonly inputs: Inputs;
  /** A folder for what is made on the way; it goes when the run ends. */
  readonly folder: string;
  /** The load generator's file. */
  readonly generator: string;
  /** The container image or program under test. */
  readonly image: Image;
  /** Kyverno's admission controller; undefined where it is not named. */
  readonly kyverno: KyvernoFiles | undefined;
  readonly results: Results;
  /** How often each thing is measured, and how many seconds a load lasts. */
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
}

/** A part of the benchmark: measures and adds rows to the results. */
export type Section = (bench: Bench) => Promise<void>;

/** The repository. */
export const root: string = new URL("../../", import.meta.url).pathname;

/** The probe that shows that a server decides the review of a file. */
export async function probeOf(path: string, bodyFile: string): Promise<Probe> {
  return { path, body: await Deno.readTextFile(bodyFile) };
}

/** The middle of the values; NaN without any. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? NaN;
}

/** A share as text: `84 %`. */
export function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}

/** Memory as text. */
export function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
