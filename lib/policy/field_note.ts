import { celFieldNotes } from "./cel_field_notes.ts";
import { imageFieldNotes } from "./image_field_notes.ts";
import { ruleFieldNotes } from "./rule_field_notes.ts";

/** Earlier ones count before later ones. Not one object: a bundler keeps what is spread, though nobody reads it. */
const notes = [ruleFieldNotes, imageFieldNotes, celFieldNotes];

/**
 * The description of a field, by its path of names. A note on the field below its parent counts before one on its
 * name alone.
 */
export function fieldNote(path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? "", nested = path.slice(-2).join(".");
  return noteAt(nested) ?? noteAt(name);
}

function noteAt(key: string): string | undefined {
  return notes.find((each) => Object.hasOwn(each, key))?.[key];
}
