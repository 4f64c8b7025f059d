import { field, type Json } from "../json/mod.ts";

/** The fields of every validating rule. */
export interface Validation {
  /** A template; `undefined` when there is none. */
  readonly message: Json | undefined;
}

/** Parses the fields of every validating rule. */
export function parseValidation(validate: Json): Validation {
  return { message: field(validate, "message") };
}
