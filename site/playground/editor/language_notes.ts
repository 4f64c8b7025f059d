/** What completion and hover know, once the engine has said it. */
import type { FunctionNote } from "../worker/language.ts";
import type { Schema } from "./schema.ts";

/** Schemas by kind of policy, functions of JMESPath, and operators of conditions. */
export interface LanguageNotes {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly functions: readonly FunctionNote[];
  readonly operators: readonly string[];
}

let known: LanguageNotes = { schemas: {}, functions: [], operators: [] };

/** What is known by now. */
export function languageNotes(): LanguageNotes {
  return known;
}

/** Takes in what the engine said. */
export function learn(notes: LanguageNotes): void {
  known = notes;
}
