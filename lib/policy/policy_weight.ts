import type { Json, JsonObject } from "../json/mod.ts";

/**
 * The greatest weight of a policy's or exception's spec. The heaviest of Kyverno's published policies weighs 500.
 * Compiling this many values takes a third of a second; one policy of 3 MB, which the API server accepts, would
 * exhaust the process.
 */
const maxWeight = 10_000;

/** The characters of a text that weigh as much as another value. */
const charactersOfValue = 64;

/** Values that nest deeper are refused elsewhere, and must not be walked here. */
const maxDepth = 500;

/** The number of values in a value; a long text counts as several. Counting stops soon after the limit is passed. */
export function weightOf(value: Json | undefined, limit: number = maxWeight, depth = 0): number {
  if (typeof value === "string") return 1 + value.length / charactersOfValue;
  if (value === null || typeof value !== "object") return 1;
  if (depth > maxDepth) return Infinity;
  let weight = 1;
  for (const key in value as JsonObject) {
    weight += key.length / charactersOfValue +
      weightOf((value as JsonObject)[key], limit - weight, depth + 1);
    if (weight > limit) break;
  }
  return weight;
}

/** Whether a spec is too heavy to be compiled. */
export function isTooHeavy(spec: Json | undefined): boolean {
  return weightOf(spec) > maxWeight;
}

/** Whether compiling a spec takes some hundredths of a second or more. Usual policies are lighter. */
export function isHeavy(spec: Json | undefined): boolean {
  return weightOf(spec, heavy) > heavy;
}

const heavy = 1_000;

/** The message for a spec that is too heavy. */
export const tooHeavy =
  `the spec has more than ${maxWeight} values, ${charactersOfValue} characters of a text counted as one: this is too large`;
