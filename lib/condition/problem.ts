import { didYouMean, type PathDiagnostic, replacing } from "../diagnostics/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import type { Template } from "../template/mod.ts";
import type { Operator } from "./operators/operator.ts";
import { operatorNames } from "./operators/table.ts";

/** The problems of an operator's name: unknown, in the wrong case, or deprecated. */
export function operatorProblems(
  name: string,
  operator: Operator | undefined,
  path: DocumentPath,
): readonly PathDiagnostic[] {
  if (operator === undefined) return [unknownOperator(name, path)];
  if (operator.exactCase === true && name !== operator.name) {
    const message = `operator ${name} never holds, as its name is read with upper and lower case`;
    return [{
      severity: "error",
      code: "unknown-operator",
      message,
      hint: `write ${operator.name}`,
      ...replacing(name, operator.name),
      path,
    }];
  }
  if (operator.replacedBy === undefined) return [];
  // Kyverno parity: pinned by "a deprecated operator gives a warning".
  const others = operator.replacedBy.map((other) => JSON.stringify(other)).join(" ");
  const message =
    `Operator ${operator.name} has been deprecated and will be removed soon. Use these instead: [${others}]`;
  return [{
    severity: "info",
    code: "deprecated-operator",
    message,
    path,
  }];
}

function unknownOperator(name: string, path: DocumentPath): PathDiagnostic {
  const suggestion = didYouMean(name, operatorNames());
  return {
    severity: "error",
    code: "unknown-operator",
    message: name === "" ? "the condition has no operator" : `there is no operator ${JSON.stringify(name)}`,
    hint: suggestion === undefined
      ? `operators are ${operatorNames().join(", ")}`
      : `did you mean ${suggestion}?`,
    ...replacing(name, suggestion),
    path,
  };
}

/** The problem of a key or a value that can never be rendered. */
export function templateProblems({ problem }: Template, path: DocumentPath): readonly PathDiagnostic[] {
  if (problem === undefined) return [];
  return [{ severity: "error", code: "broken-template", message: problem.message, path }];
}
