import { asString, type Json } from "../../json/mod.ts";

/** A text that may be missing. */
export function text(value: Json | undefined): string {
  return asString(value) ?? "";
}

/** A value; null counts as absent. */
export function given(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}
