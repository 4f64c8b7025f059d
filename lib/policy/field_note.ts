import { celFieldNotes } from "./cel_field_notes.ts";
import { imageFieldNotes } from "./image_field_notes.ts";
import { ruleFieldNotes } from "./rule_field_notes.ts";

/**
 * Earlier tables win. They are not merged into one object, because a bundler keeps spread objects even if nobody
 * reads them.
 */
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
