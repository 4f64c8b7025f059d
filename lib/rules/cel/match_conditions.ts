import { type Activation, isCelFault, type Program } from "../../cel/mod.ts";
import { asList, type DocumentPath, Fault, isObject, type Json, textField } from "../../json/mod.ts";
import { labelKeyProblem } from "../../kube/mod.ts";
import type { CelEvaluation } from "./evaluation.ts";
import { type ExpressionSet, wanted } from "./expressions.ts";

/** Conditions that must all hold. A fault when one of them cannot be evaluated and none of them is false. */
export type MatchConditions = (evaluation: CelEvaluation) => boolean | Fault;

/** Returns the text for a failed condition: the cause alone, or with the expression. */
export interface ConditionTexts {
  readonly fault: (expression: string, cause: string) => string;
  readonly joined: (faults: readonly string[]) => string;
}

/** The texts of the API server. */
export const kubernetesTexts: ConditionTexts = {
  fault: (expression, cause) => `expression '${expression}' resulted in error: ${cause}`,
  joined: (faults) => {
    const distinct = [...new Set(faults)];
    return distinct.length === 1 ? distinct[0]! : `[${distinct.join(", ")}]`;
  },
};

/** The texts of Kyverno's own policies. */
export const kyvernoTexts: ConditionTexts = {
  fault: (_, cause) => cause,
  joined: (faults) => faults.join("; "),
};

/** The options of compiling match conditions. */
export interface MatchConditionOptions {
  readonly path: DocumentPath;
  readonly texts: ConditionTexts;
  /**
   * Whether conditions read the Namespace of the object. Kubernetes parity: those of admission policies, and of rules
   * that are evaluated like them, read null. Pinned by "match conditions read no Namespace".
   */
  readonly namespaceObject?: "read" | "null";
}

/** Compiles `[{name, expression}]`. A condition with a mistake is reported, and counts as failed. */
export function compileMatchConditions(
  written: Json | undefined,
  expressions: ExpressionSet,
  { path, texts, namespaceObject = "read" }: MatchConditionOptions,
): MatchConditions {
  const roots = namespaceObject === "read" ? noRoots : withoutNamespace;
  const conditions = asList(written).filter(isObject).map((condition, index) => {
    const expression = textField(condition, "expression");
    const name = textField(condition, "name");
    const problem = name === "" ? undefined : labelKeyProblem(name);
    if (problem !== undefined) expressions.warn(`"${name}": ${problem}`, [...path, index, "name"]);
    const program = expressions.compile(expression, [...path, index, "expression"], wanted.bool);
    return { expression, program };
  });
  if (conditions.length === 0) return () => true;
  return (evaluation) => {
    const faults: string[] = [];
    for (const { expression, program } of conditions) {
      const value = evaluateCondition(program, { expression, evaluation, roots });
      if (value === false) return false;
      if (value !== true) faults.push(texts.fault(expression, value.message));
    }
    return faults.length === 0 ? true : new Fault(texts.joined(faults));
  };
}

const noRoots: Activation = () => undefined;

const withoutNamespace: Activation = (name) => name === "namespaceObject" ? null : undefined;

interface ConditionInput {
  readonly expression: string;
  readonly evaluation: CelEvaluation;
  readonly roots: Activation;
}

function evaluateCondition(
  program: Program | undefined,
  { expression, evaluation, roots }: ConditionInput,
): boolean | Fault {
  if (program === undefined) return new Fault("the expression does not compile");
  const value = evaluation.evaluateWith(program, roots);
  evaluation.record(expression, value);
  if (isCelFault(value) || typeof value === "boolean") return value;
  return new Fault("the expression gives no bool");
}
