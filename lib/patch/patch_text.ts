import { type Fault, isFault, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { PatchOperation } from "./json_patch.ts";
import type { LongNumbers } from "./long_numbers.ts";

/**
 * The text of the patch of an answer. Whole numbers beyond 2^53 have the digits that they have in the object: a gate
 * must not change a number that no policy is about. A fault when two of them are the same double.
 *
 * ```ts
 * import { LongNumbers } from "./long_numbers.ts";
 * import { patchText } from "./patch_text.ts";
 * import assert from "node:assert/strict";
 * const review = '{"request":{"object":{"ids":[1,9007199254740993]}}}';
 * assert.equal(
 *   patchText([{ op: "add", path: "/ids/0", value: 9007199254740993 }], new LongNumbers(review)),
 *   '[{"op":"add","path":"/ids/0","value":9007199254740993}]',
 * );
 * ```
 */
export function patchText(
  patch: readonly PatchOperation[],
  numbers: LongNumbers | undefined,
): string | Fault {
  if (numbers === undefined) return JSON.stringify(patch);
  // Elements of lists are compared as doubles: one with another number may have been removed.
  const ambiguity = patch.some(changesList) ? numbers.ambiguity : undefined;
  if (ambiguity !== undefined) return ambiguity;
  const parts: string[] = [];
  const fault = write(patch as unknown as Json, { numbers, parts });
  return fault ?? parts.join("");
}

/** Whether an operation adds or removes an element of a list, or a field whose name is a number. */
function changesList({ op, path }: PatchOperation): boolean {
  return op !== "replace" && /\/[0-9]+$/.test(path);
}

interface Written {
  readonly numbers: LongNumbers;
  readonly parts: string[];
}

/** Writes a value as `JSON.stringify` does, but for long numbers. Reviews and templates bound how deeply it nests. */
function write(value: Json, written: Written): Fault | undefined {
  const { parts, numbers } = written;
  if (isList(value) || isObject(value)) return writeMembers(value, written);
  const digits = typeof value === "number" ? numbers.digitsOf(value) : undefined;
  if (isFault(digits)) return digits;
  parts.push(digits ?? JSON.stringify(value));
  return undefined;
}

function writeMembers(value: readonly Json[] | JsonObject, written: Written): Fault | undefined {
  const { parts } = written, inList = isList(value);
  let separator = "";
  parts.push(inList ? "[" : "{");
  for (const [name, member] of Object.entries(value) as [string, Json | undefined][]) {
    if (member === undefined) continue;
    parts.push(inList ? separator : `${separator}${JSON.stringify(name)}:`);
    separator = ",";
    const fault = write(member, written);
    if (fault !== undefined) return fault;
  }
  parts.push(inList ? "]" : "}");
  return undefined;
}
