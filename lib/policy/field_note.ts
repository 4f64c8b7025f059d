import { celFieldNotes } from "./cel_field_notes.ts";
import { imageFieldNotes } from "./image_field_notes.ts";
import { ruleFieldNotes } from "./rule_field_notes.ts";

const notes: Readonly<Record<string, string>> = { ...celFieldNotes, ...imageFieldNotes, ...ruleFieldNotes };

/** What a field means, by its path of names: a note on the field below the one above it counts before one on its name alone. */
export function fieldNote(path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? "", nested = path.slice(-2).join(".");
  return noteAt(nested) ?? noteAt(name);
}

function noteAt(key: string): string | undefined {
  return Object.hasOwn(notes, key) ? notes[key] : undefined;
}
