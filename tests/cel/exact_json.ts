import { isCelFault, toFloat, toInt, type Value } from "../../lib/cel/mod.ts";

/**
 * Reads JSON text without losing what its numbers are: `2.0` and `1e3` stay doubles, integers of any size stay exact.
 * Plain `JSON.parse` makes ints of both. `undefined` when the text is no JSON.
 */
export function parseExactJson(text: string): Value | undefined {
  try {
    return JSON.parse(text, exactNumber);
  } catch {
    return undefined;
  }
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (/[.eE]/.test(context.source)) return toFloat(value);
  const exact = toInt(BigInt(context.source));
  return isCelFault(exact) ? toFloat(value) : exact;
}
