import { asString, type Json, type JsonObject } from "../../json/mod.ts";
import type { Shape } from "../shape.ts";

/** The format of one kind of context entry: its shape and its parser. */
export interface EntryFormat<Entry extends { readonly kind: string }> {
  /** The field of an entry that holds it. */
  readonly kind: Entry["kind"];
  readonly shape: Shape;
  read(name: string, written: JsonObject): Entry;
}

/** A text that may be missing. */
export function text(value: Json | undefined): string {
  return asString(value) ?? "";
}

/** A value, for which null is none. */
export function given(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}
