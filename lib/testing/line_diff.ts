/** The most lines on each side for which a diff is computed line by line. */
const maxLines = 2000;

/**
 * The differences between two texts, line by line: `-` what only the first has, `+` what only the second has, with up
 * to two lines around each change. No lines when they are equal.
 *
 * ```ts
 * import { lineDiff } from "./line_diff.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(lineDiff("a\nb\nc", "a\nx\nc"), ["  a", "- b", "+ x", "  c"]);
 * ```
 */
export function lineDiff(first: string, second: string): string[] {
  const left = first.split("\n"), right = second.split("\n");
  if (left.length > maxLines || right.length > maxLines) {
    return [`- ${left.length} lines`, `+ ${right.length} lines`];
  }
  return nearChanges(walk(left, right, commonLengths(left, right)));
}

/** The number of common lines behind each pair of lines. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i]![j] = left[i] === right[j]
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

function walk(left: readonly string[], right: readonly string[], lengths: readonly Uint16Array[]): string[] {
  const lines: string[] = [];
  let i = 0, j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(`  ${left[i]}`);
      [i, j] = [i + 1, j + 1];
    } else if (i < left.length && (j === right.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      lines.push(`- ${left[i++]}`);
    } else lines.push(`+ ${right[j++]}`);
  }
  return lines;
}

function nearChanges(lines: readonly string[]): string[] {
  const changed = lines.map((line) => !line.startsWith("  "));
  const isNear = (index: number): boolean => changed.slice(Math.max(0, index - 2), index + 3).includes(true);
  return lines.flatMap((line, index) => {
    if (isNear(index)) return [line];
    return isNear(index - 1) ? ["  …"] : [];
  }).slice(changed.includes(true) ? 0 : lines.length);
}
