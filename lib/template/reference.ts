import {
  Fault,
  goPrint,
  isFault,
  isList,
  isObject,
  type Json,
  setField,
  withoutEnding,
} from "../json/mod.ts";
import { cleanPath } from "../jmespath/mod.ts";
import { withoutAnchor } from "./anchor.ts";
import { isTooDeep } from "./depth.ts";
import { joinPath, pathOf } from "./path.ts";

/** The operators that a reference may begin with. The result is then text: the operator and the value. */
const operators = [">=", "<=", ">", "<", "!"] as const;

/**
 * The characters that the references of a document may take to read: each reads its text, and the first reads the paths
 * of all values. References to texts with references would else make gigabytes of a few kilobytes.
 */
const mostRead = 20_000_000;

const tooMuch = new Fault("the references of the document make too much text");

/**
 * Replaces the references `$(path)` in all strings and keys of a document by the values at these paths.
 * Paths are relative to the string that holds the reference (`$(./../other)`) or begin with `/`; anchors in keys do not
 * count. Without references the document itself comes back. A document that is nested too deep is a fault.
 *
 * Kyverno parity: the texts of the faults; a reference to a map yields one of its keys; two references without a space
 * between them are one; `$()` stays. A number behind an operator has six decimals. Pinned by
 * tests/template/references_test.ts. Unlike in Kyverno, anchors on the path of the referring string are ignored too,
 * because the `^(containers)` example of Kyverno's documentation needs it.
 *
 * ```ts
 * import { resolveReferences } from "./reference.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(
 *   resolveReferences({ limits: "2Gi", requests: "$(<=./../limits)" }),
 *   { limits: "2Gi", requests: "<=2Gi" },
 * );
 * ```
 */
export function resolveReferences(document: Json): Json | Fault {
  if (isTooDeep(document)) return new Fault("the document is nested too deep");
  return mentionsReference(document) ? new Resolver(document).resolve(document, "") : document;
}

function mentionsReference(value: Json): boolean {
  if (typeof value === "string") return value.includes("$(");
  if (isList(value)) return value.some(mentionsReference);
  if (!isObject(value)) return false;
  return Object.keys(value).some((key) => key.includes("$(") || mentionsReference(value[key]!));
}

class Resolver {
  readonly #document: Json;
  #valuesByPath: Map<string, Json> | Fault | undefined;
  #read = 0;

  constructor(document: Json) {
    this.#document = document;
  }

  resolve(value: Json, path: string): Json | Fault {
    if (typeof value === "string") return this.#text(value, path);
    if (isList(value)) return this.#list(value, path);
    return isObject(value) ? this.#object(value, path) : value;
  }

  #list(value: readonly Json[], path: string): Json | Fault {
    const items: Json[] = [];
    for (const [index, item] of value.entries()) {
      const resolved = this.resolve(item, pathOf(path, index));
      if (isFault(resolved)) return resolved;
      items.push(resolved);
    }
    return items;
  }

  #object(value: { readonly [key: string]: Json }, path: string): Json | Fault {
    const fields: { [key: string]: Json } = {};
    for (const key of Object.keys(value)) {
      const name = this.#text(key, path);
      if (isFault(name)) return name;
      const resolved = this.resolve(value[key]!, pathOf(path, key));
      if (isFault(resolved)) return resolved;
      setField(fields, name, resolved);
    }
    return fields;
  }

  #text(text: string, path: string): string | Fault {
    if (!text.includes("$(")) return text;
    let result = text;
    for (const { prefix, reference } of references(text)) {
      const found = this.#find(reference, path);
      if (isFault(found)) return found;
      this.#read += result.length + path.length + reference.length;
      if (this.#read > mostRead) return tooMuch;
      result = result.replace(prefix + reference, () => prefix + found);
    }
    return withoutEscapes(result);
  }

  #find(reference: string, path: string): string | Fault {
    const inner = withoutEnding(reference.replace(/^[$()]+/, ""), "$()");
    const operator = inner.length < 2 ? undefined : operators.find((sign) => inner.startsWith(sign));
    const target = inner.slice(operator?.length ?? 0);
    if (target === "") {
      return new Fault(
        `failed to resolve ${reference} at path ${path}: expected path, found empty reference`,
      );
    }
    const targetPath = target.startsWith("/") ? target : joinPath(path, target);
    this.#valuesByPath ??= valuesByPath(this.#document);
    const values = this.#valuesByPath;
    if (isFault(values)) return values;
    const found = values.get(targetPath) ?? values.get(withoutAnchors(targetPath)) ?? null;
    if (operator !== undefined) {
      if (typeof found === "string") return operator + found;
      if (typeof found === "number") return operator + found.toFixed(6);
      return new Fault(
        `failed to resolve ${reference} at path ${path}: ` +
          `incorrect expression: operator ${operator} does not match with value ${goPrint(found)}`,
      );
    }
    if (typeof found === "string") return found;
    if (found === null) return new Fault(`got nil resolved variable ${reference} at path ${path}: <nil>`);
    return new Fault(`NotResolvedReferenceErr,reference ${reference} not resolved at path ${path}`);
  }
}

/** All leaves by their path without anchors. The path of a map has one of its keys as value. */
function valuesByPath(document: Json): Map<string, Json> | Fault {
  const values = new Map<string, Json>();
  let read = 0;
  const visit = (value: Json, path: string): void => {
    read += path.length;
    if (read > mostRead) return;
    if (isList(value)) value.forEach((item, index) => visit(item, pathOf(path, index)));
    else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (read <= mostRead) values.set(withoutAnchors(path), key);
        visit(value[key]!, pathOf(path, key));
      }
    } else values.set(withoutAnchors(path), value);
  };
  visit(document, "");
  return read > mostRead ? tooMuch : values;
}

function withoutAnchors(path: string): string {
  const clean = cleanPath(path.split("/").map(withoutAnchor).join("/"));
  return path === "" ? "" : clean;
}

interface FoundReference {
  /** The character before the reference; empty at the start of the text. */
  readonly prefix: string;
  readonly reference: string;
}

/**
 * Finds `$(…)` with at least one character inside, greedily up to the last `)` before a space, unless a `\` precedes.
 */
function* references(text: string): Generator<FoundReference> {
  let from = 0;
  let wordEnd = -1, close = -1;
  for (;;) {
    const start = text.indexOf("$(", from);
    if (start < 0) return;
    from = start + 1;
    const isFirst = start === 0;
    if (text[start - 1] === "\\" || text[start + 2] === "\n") continue;
    if (start + 3 > wordEnd) {
      const space = text.indexOf(" ", start + 3);
      wordEnd = space < 0 ? text.length : space;
      const last = text.slice(start + 3, wordEnd).lastIndexOf(")");
      close = last < 0 ? -1 : start + 3 + last;
    }
    if (close < start + 3) continue;
    const prefix = isFirst ? "" : String.fromCodePoint(codePointBefore(text, start));
    yield { prefix, reference: text.slice(start, close + 1) };
    // A match includes the character before it, so the next match must start after that.
    from = close + 2;
  }
}

function codePointBefore(text: string, at: number): number {
  const pair = at >= 2 ? text.codePointAt(at - 2)! : 0;
  return pair > 0xffff ? pair : text.charCodeAt(at - 1);
}

/** `\$(x)` is text: the backslash is removed. */
function withoutEscapes(text: string): string {
  let result = "", done = 0, close = 0;
  for (let start = text.indexOf("\\$("); start >= 0; start = text.indexOf("\\$(", start + 1)) {
    // The search continues behind the last `)`, so that the whole text is read once.
    close = Math.max(close, start + 4);
    while (close < text.length && text[close] !== " " && text[close] !== ")") close++;
    if (text[close] !== ")" || text[start + 3] === "\n") continue;
    result += text.slice(done, start);
    done = start + 1;
  }
  return result + text.slice(done);
}
