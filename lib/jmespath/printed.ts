import { clipped, goPrint, isList, type Json } from "../json/mod.ts";
import { weightOf } from "./steps.ts";

/** The steps of the largest value that a message prints as a whole: 32,000 characters. */
const mostPrinted = 1_000;

/**
 * A value in the message of a fault, as Go prints it. To print a list of half a million objects takes half a second,
 * so large values are named.
 */
export function printed(value: Json): string {
  if (typeof value === "string") return clipped(value, 32 * mostPrinted);
  if (weightOf(value, mostPrinted) <= mostPrinted) return goPrint(value);
  return isList(value) ? `[${value.length} elements]` : "map[…]";
}
