import type { Json, JsonObject } from "../json/mod.ts";
import { compiledTextWeight, weightOfVariable } from "./text_weight.ts";

/**
 * The greatest weight of a policy's or exception's spec. The heaviest of Kyverno's published policies weighs 500.
 * Compiling this many values takes a third of a second; one policy of 3 MB, which the API server accepts, would
 * exhaust the process.
 */
const maxWeight = 10_000;

/** Values that nest deeper are refused elsewhere, and must not be walked here. */
const maxDepth = 500;

/** The field of `foreach` that is an expression, without the braces of a variable. */
const listOfLoop = "list";

/** The weight of a text besides that of a value. */
export type TextWeight = (text: string) => number;

/** How a value is weighed: counting stops soon after the limit is passed. */
interface Weighing {
  readonly limit: number;
  readonly text: TextWeight;
}

/**
 * The weight of a value: the number of values in it, and of the parts of its texts, which are patterns and expressions
 * unless `text` weighs them otherwise.
 */
export function weightOf(
  value: Json | undefined,
  { limit = maxWeight, text = compiledTextWeight }: Partial<Weighing> = {},
): number {
  return weigh(value, { limit, text }, 0);
}

function weigh(value: Json | undefined, { limit, text }: Weighing, depth: number): number {
  if (typeof value === "string") return 1 + text(value);
  if (value === null || typeof value !== "object") return 1;
  if (depth > maxDepth) return Infinity;
  let weight = 1;
  for (const key in value as JsonObject) {
    if (key === listOfLoop) weight += weightOfVariable;
    weight += text(key) + weigh((value as JsonObject)[key], { limit: limit - weight, text }, depth + 1);
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
  return weightOf(spec, { limit: heavy }) > heavy;
}

const heavy = 1_000;

/** The message for a spec that is too heavy. */
export const tooHeavy =
  `the spec has more than ${maxWeight} values, parts of patterns and expressions counted too: this is too large`;
