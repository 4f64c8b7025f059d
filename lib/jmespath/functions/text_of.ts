import type { Json } from "../../json/mod.ts";
import { float32Text } from "../go_strings.ts";

/**
 * A scalar as the text that patterns and names see; `undefined` for what has none.
 *
 * Kyverno parity: numbers are printed with the digits of a 32-bit float, 16777217 as 16777216. Pinned by "numbers
 * become text with the digits of a 32-bit float".
 */
export function textOf(value: Json): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return float32Text(value);
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
