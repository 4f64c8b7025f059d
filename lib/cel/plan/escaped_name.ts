import { reservedWords } from "../syntax/mod.ts";

const marks: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** Words that an expression cannot use as a name, so that a field of that name is written between underscores. */
const keywords = new Set(["true", "false", "null", "in", ...reservedWords]);

/**
 * The property of a field name that Kubernetes escapes: `x__dash__prop` for `x-prop`, `__namespace__` for
 * `namespace`. `undefined` for a name without escapes.
 *
 * ```ts
 * import { unescapedName } from "./escaped_name.ts";
 * import assert from "node:assert/strict";
 * assert.equal(unescapedName("x__dash__prop"), "x-prop");
 * assert.equal(unescapedName("__namespace__"), "namespace");
 * assert.equal(unescapedName("plain_name"), undefined);
 * ```
 */
export function unescapedName(name: string): string | undefined {
  if (!name.includes("__")) return undefined;
  let isEscaped = true;
  const plain = name.replace(/__(.*?)__/g, (run, word: string) => {
    if (Object.hasOwn(marks, word)) return marks[word]!;
    if (!keywords.has(word) || run.length !== name.length) isEscaped = false;
    return word;
  });
  return isEscaped && plain !== name ? plain : undefined;
}

/**
 * The property that a name in an expression stands for, where the properties are declared. Kubernetes writes two
 * underscores as `__underscores__`: `undefined` for a name that has them otherwise.
 */
export function propertyOf(name: string): string | undefined {
  return unescapedName(name) ?? (name.includes("__") ? undefined : name);
}
