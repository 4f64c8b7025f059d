import type { Diagnostic } from "../diagnostics/mod.ts";
import { compile, type CompileOptions, type Snapshot } from "../engine/mod.ts";
import { parseDocuments } from "../yaml/mod.ts";

/** The text of a file. */
export interface PolicyText {
  /** Its name in diagnostics. */
  readonly file: string;
  /** YAML or JSON; any number of documents. */
  readonly text: string;
}

/** The options of compiling policies. */
export type LoadPoliciesOptions = CompileOptions;

/** The policies of a text, compiled, and the text's diagnostics. */
export interface PoliciesOfText {
  /** The compiled policies. They are immutable and serve any number of evaluations. */
  readonly policies: Snapshot;
  /** The problems in the text and suggestions for it, with positions. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles policies and policy exceptions from one text or from several files. It never throws, whatever a text
 * holds: a policy with an error is a diagnostic, and its rules answer the requests that they match as its
 * failurePolicy says. Refuse to start when a diagnostic is an error.
 */
export function loadPolicies(
  texts: string | readonly PolicyText[],
  options: LoadPoliciesOptions = {},
): PoliciesOfText {
  const files = typeof texts === "string" ? [{ file: "policies.yaml", text: texts }] : texts;
  const parsed = files.map(({ file, text }) => parseDocuments(text, file));
  const policies = compile(parsed.flatMap(({ documents }) => documents), options);
  return {
    policies,
    diagnostics: [...parsed.flatMap(({ diagnostics }) => diagnostics), ...policies.diagnostics],
  };
}
