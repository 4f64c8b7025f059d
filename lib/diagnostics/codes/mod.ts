/** The codes of diagnostics, with their meaning. */
import type { CodeNote } from "./code_note.ts";
import { fileCodes } from "./file_codes.ts";
import { ruleCodes } from "./rule_codes.ts";
import { runCodes } from "./run_codes.ts";
import { shapeCodes } from "./shape_codes.ts";

export type { CodeNote };

/** The name of a problem in a document, a file or a run, for searching and for tests. */
export type DiagnosticCode =
  | keyof typeof fileCodes
  | keyof typeof shapeCodes
  | keyof typeof ruleCodes
  | keyof typeof runCodes;

/** Every code of a diagnostic, with its meaning: `docs/diagnostics.md` is made from it. */
export const codeNotes: Readonly<Record<string, Readonly<Record<string, CodeNote>>>> = {
  "Files and documents": fileCodes,
  "The shape of a policy": shapeCodes,
  "What a rule says": ruleCodes,
  "Tests and commands": runCodes,
};
