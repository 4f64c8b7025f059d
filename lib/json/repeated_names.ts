import { isList, type Json } from "./json.ts";
import { endOfString } from "./string_end.ts";

/**
 * Whether an object in a JSON text has a name twice (RFC 8259 §4 leaves open what that means). `JSON.parse` keeps the
 * last of them, so the value has fewer names than the text has colons outside its strings.
 *
 * ```ts
 * import { hasRepeatedNames } from "./repeated_names.ts";
 * import assert from "node:assert/strict";
 * const repeats = (text: string) => hasRepeatedNames(text, JSON.parse(text));
 * assert.equal(repeats('{"a":1,"b":{"a":":"}}'), false);
 * assert.equal(repeats(String.raw`[{"a":1,"\u0061":1}]`), true);
 * ```
 */
export function hasRepeatedNames(text: string, value: Json): boolean {
  return namesInText(text) !== namesIn(value);
}

function namesInText(text: string): number {
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x3a) names++;
  }
  return names;
}

function namesIn(value: Json): number {
  let names = 0;
  const waiting: Json[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const members = isList(next) ? next : Object.values(next);
    if (!isList(next)) names += members.length;
    for (const member of members) {
      if (typeof member === "object" && member !== null) waiting.push(member);
    }
  }
  return names;
}
