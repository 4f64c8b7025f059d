import { labelValueProblems, qualifiedNameProblems } from "./name_format.ts";

/** The reason why a text is no valid label key (Kubernetes' qualified name); `undefined` when it is valid. */
export function labelKeyProblem(key: string): string | undefined {
  return joined(qualifiedNameProblems(key));
}

/** The reason why a text is no valid label value; `undefined` when it is valid. The empty text is valid. */
export function labelValueProblem(value: string): string | undefined {
  return joined(labelValueProblems(value));
}

/** Kubernetes writes all problems of a text into one sentence. */
function joined(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : problems.join("; ");
}
