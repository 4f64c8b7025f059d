import { goFloat, goTypeOf, isList, type Json, sortedKeys } from "../json/mod.ts";
import { isInt64 } from "./number_text.ts";

/**
 * The longest text for one failure: messages are part of API answers, and a value of a resource may have
 * megabytes.
 */
const maxLength = 64 * 1024;
const maxDepth = 200;

/** Collects text up to a limit, and replaces the rest by `…`. */
export class BoundedText {
  #text = "";

  /** Whether nothing more fits. */
  get full(): boolean {
    return this.#text.length >= maxLength;
  }

  /** Adds a text, as much of it as fits. */
  write(text: string): this {
    if (!this.full) {
      this.#text += this.#text.length + text.length < maxLength
        ? text
        : `${text.slice(0, maxLength - this.#text.length)}…`;
    }
    return this;
  }

  toString(): string {
    return this.#text;
  }
}

/** Writes a value as Kyverno prints it (Go's `%v`), whole numbers as integers; a missing one as `<nil>`. */
export function writeValue(out: BoundedText, value: Json | undefined, depth = 0): void {
  if (value === undefined || value === null) out.write("<nil>");
  else if (typeof value === "number") out.write(isInt64(value) ? String(value) : goFloat(value));
  else if (typeof value !== "object") out.write(String(value));
  else if (depth >= maxDepth) out.write("…");
  else if (isList(value)) {
    out.write("[");
    for (let index = 0; index < value.length && !out.full; index++) {
      if (index > 0) out.write(" ");
      writeValue(out, value[index], depth + 1);
    }
    out.write("]");
  } else writeMap(out, value, depth);
}

function writeMap(out: BoundedText, value: { readonly [key: string]: Json }, depth: number): void {
  out.write("map[");
  let first = true;
  for (const key of sortedKeys(value)) {
    if (out.full) break;
    out.write(first ? `${key}:` : ` ${key}:`);
    writeValue(out, value[key], depth + 1);
    first = false;
  }
  out.write("]");
}

/** Returns the name of a value's type in Go (`%T`), as Kyverno's messages have it. */
export function typeName(value: Json | undefined): string {
  return typeof value === "number" && isInt64(value) ? "int64" : goTypeOf(value);
}
