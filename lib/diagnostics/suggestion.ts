import type { TextReplacement } from "./diagnostic.ts";

/**
 * The candidate that was probably meant by a misspelt name, or `undefined` when none is near enough.
 *
 * @param most The most edits between the two; by default a third of the name's length.
 *
 * ```ts
 * import { didYouMean } from "./suggestion.ts";
 * import assert from "node:assert/strict";
 * assert.equal(didYouMean("pattren", ["pattern", "deny"]), "pattern");
 * assert.equal(didYouMean("a", [""]), undefined);
 * assert.equal(didYouMean("xyz", ["pattern", "deny"]), undefined);
 * ```
 */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  most = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    // An object without a name is nothing to suggest.
    if (candidate === "") continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The replacement of a misspelt name as a part of a diagnostic; an empty object when no candidate is near enough. */
export function replacing(
  written: string,
  meant: string | undefined,
): { readonly replacement?: TextReplacement } {
  return meant === undefined ? {} : { replacement: { written, meant } };
}

/** The hint about a text that is none of some choices, and its replacement when one of them is near enough. */
export function choosing(
  written: string,
  choices: readonly string[],
): { readonly hint: string; readonly replacement?: TextReplacement } {
  const meant = didYouMean(written, choices);
  const hint = meant === undefined ? `use one of ${choices.join(", ")}` : `did you mean "${meant}"?`;
  return { hint, ...replacing(written, meant) };
}

/** Edits (insert, delete, replace, swap of neighbours) from one text to the other, or `limit` if there are as many. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
    }
    [before, previous] = [previous, row];
  }
  return Math.min(previous[right.length]!, limit);
}
