import { costSize, traversalCost } from "../values/mod.ts";
import type { Result } from "./library.ts";

/** Reading the first argument once, which costs a tenth of its size. */
export function parsing([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 0.1);
}

/** Reading the first argument and writing it again. */
export function parsingTwice([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 2 * 0.1);
}

/** Looking at every part of the first argument. */
export function traversing([value]: readonly Result[]): number {
  return traversalCost(value);
}
