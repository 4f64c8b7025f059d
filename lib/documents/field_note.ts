import { contextNotes } from "../context/mod.ts";
import { kindNotes } from "../rules/mod.ts";
import type { FieldNotes } from "../shape/mod.ts";
import { celFieldNotes } from "./cel_field_notes.ts";
import { imageFieldNotes } from "./image_field_notes.ts";
import { ruleFieldNotes } from "./rule_field_notes.ts";

/** All descriptions of fields; no key is in two tables. A function, because a bundler keeps lists that nobody reads. */
export function fieldNotes(): readonly FieldNotes[] {
  return [ruleFieldNotes, ...contextNotes(), ...kindNotes(), imageFieldNotes, celFieldNotes];
}

/**
 * The description of a field, by its path of names. A note on the field below its parent counts before one on its
 * name alone.
 */
export function fieldNote(path: readonly string[], notes: readonly FieldNotes[]): string | undefined {
  const name = path.at(-1) ?? "", nested = path.slice(-2).join(".");
  return noteAt(nested, notes) ?? noteAt(name, notes);
}

function noteAt(key: string, notes: readonly FieldNotes[]): string | undefined {
  return notes.find((each) => Object.hasOwn(each, key))?.[key];
}
