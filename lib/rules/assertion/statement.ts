/** The form of a statement: a literal, or an expression of a compiler. */
export type StatementForm =
  | { readonly kind: "literal" }
  /** `compiler` is undefined for the default one. */
  | { readonly kind: "expression"; readonly compiler: string | undefined };

/** The parts of a key or scalar of an assertion tree. */
export interface TreeStatement {
  /**
   * Set for `~.`: the tree below applies to each element of the projected list or object; `index` is the index's
   * name.
   */
  readonly each: { readonly index: string | undefined } | undefined;
  /** The name that the projected value is bound to (`->name`). */
  readonly binding: string | undefined;
  readonly reading: StatementForm;
  readonly text: string;
}

/**
 * Takes a key apart: `~index.` first, then `->name`, then either `\…\`, which protects what is inside, or
 * `(…)` and `(compiler;…)`. An escaped key may also carry its name after an `@`: `\baz\@foo`.
 *
 * ```ts
 * import { readStatement } from "./statement.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(readStatement("~i.(bar + bat)->sum"), {
 *   each: { index: "i" },
 *   binding: "sum",
 *   reading: { kind: "expression", compiler: undefined },
 *   text: "bar + bat",
 * });
 * assert.equal(readStatement("\\(bar)\\").text, "(bar)");
 * assert.equal(readStatement("\\baz\\@foo").binding, "foo");
 * ```
 */
export function readStatement(key: string): TreeStatement {
  const iterated = readEach(key);
  const bound = readBinding(iterated.rest);
  return { each: iterated.each, binding: bound.binding, ...readInner(bound.rest) };
}

function readEach(text: string): { readonly each: TreeStatement["each"]; readonly rest: string } {
  const dot = text.indexOf(".");
  const name = text.slice(1, dot);
  if (!text.startsWith("~") || dot < 0 || !isWord(name, "maybe empty")) {
    return { each: undefined, rest: text };
  }
  return { each: { index: name === "" ? undefined : name }, rest: text.slice(dot + 1) };
}

function readBinding(text: string): { readonly binding: string | undefined; readonly rest: string } {
  const arrow = text.lastIndexOf("->");
  const name = text.slice(arrow + 2).trimStart();
  if (arrow >= 0 && isWord(name, "not empty")) return { binding: name, rest: text.slice(0, arrow).trimEnd() };
  const at = text.lastIndexOf("\\@");
  const escapedName = text.slice(at + 2);
  if (at > 1 && text.startsWith("\\") && isWord(escapedName, "not empty")) {
    return { binding: escapedName, rest: text.slice(0, at + 1) };
  }
  return { binding: undefined, rest: text };
}

function readInner(text: string): Pick<TreeStatement, "reading" | "text"> {
  const inner = text.slice(1, -1);
  if (text.length > 2 && text.startsWith("\\") && text.endsWith("\\")) {
    return { reading: { kind: "literal" }, text: inner };
  }
  if (text.length <= 2 || !text.startsWith("(") || !text.endsWith(")")) {
    return { reading: { kind: "literal" }, text };
  }
  const semicolon = inner.indexOf(";");
  const compiler = inner.slice(0, Math.max(semicolon, 0));
  if (isWord(compiler, "not empty") && semicolon < inner.length - 1) {
    return { reading: { kind: "expression", compiler }, text: inner.slice(semicolon + 1) };
  }
  return { reading: { kind: "expression", compiler: undefined }, text: inner };
}

function isWord(text: string, length: "maybe empty" | "not empty"): boolean {
  return text === "" ? length === "maybe empty" : /^\w+$/.test(text);
}
