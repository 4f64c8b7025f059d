import { costSize, traversalCost } from "../values/mod.ts";
import type { Result } from "./library.ts";

/** The cost of reading the first argument once: a tenth of its size. */
export function parsing([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 0.1);
}

/** The cost of reading the first argument and writing it again. */
export function parsingTwice([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 2 * 0.1);
}

/** The cost of visiting every part of the first argument. */
export function traversing([value]: readonly Result[]): number {
  return traversalCost(value);
}
