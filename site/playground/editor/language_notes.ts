/** The schemas, functions and operators that completion and hover use; the engine's worker sends them. */
import type { FunctionNote } from "../worker/language.ts";
import type { Schema } from "./schema.ts";

/** Schemas by kind of policy, functions of JMESPath, and operators of conditions. */
export interface LanguageNotes {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly functions: readonly FunctionNote[];
  readonly operators: readonly string[];
}

let latestNotes: LanguageNotes = { schemas: {}, functions: [], operators: [] };

/** The notes received so far. */
export function languageNotes(): LanguageNotes {
  return latestNotes;
}

/** Takes in what the engine said. */
export function learn(notes: LanguageNotes): void {
  latestNotes = notes;
}
