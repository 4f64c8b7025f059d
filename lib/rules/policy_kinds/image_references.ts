import { isCelFault } from "../../cel/mod.ts";
import { asList, asString, Fault, isFault, isObject, type Json, type StepBudget } from "../../json/mod.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";
import { compileGlob } from "./glob.ts";

/** The evaluation of expressions about images, and the steps that comparing images with globs may take. */
export interface ImageMatching {
  readonly evaluation: CelEvaluation;
  readonly steps: StepBudget;
}

/** Whether a policy matches an image; a fault when an expression fails. */
export type MatchesImage = (image: string, matching: ImageMatching) => boolean | Fault;

/** Compiles `matchImageReferences`: globs, and expressions over `ref`. A policy without any matches every image. */
export function compileImageReferences(written: Json | undefined, expressions: ExpressionSet): MatchesImage {
  const tests = asList(written).filter(isObject).map((entry, index): MatchesImage => {
    const glob = asString(entry["glob"]) ?? "", expression = asString(entry["expression"]) ?? "";
    const path = ["spec", "matchImageReferences", index];
    if ((glob === "") === (expression === "")) {
      const cause = "either glob or expression must be set";
      expressions.reject({ path, text: undefined, cause }, cause);
      return () => false;
    }
    if (glob !== "") {
      const isMatch = compileGlob(glob);
      if (!isFault(isMatch)) return (image, { steps }) => isMatch(image, steps);
      const cause = isMatch.message;
      expressions.reject({ path: [...path, "glob"], text: glob, cause }, `the glob cannot be read: ${cause}`);
      return () => false;
    }
    const program = expressions.compile(expression, [...path, "expression"], wanted.bool);
    return (image, { evaluation }) => {
      if (program === undefined) return false;
      const value = evaluation.evaluateWith(program, (name) => name === "ref" ? image : undefined);
      return isCelFault(value) ? new Fault(value.message) : value === true;
    };
  });
  if (tests.length === 0) return () => true;
  return (image, matching) => {
    for (const test of tests) {
      const verdict = test(image, matching);
      if (isFault(verdict) || verdict) return verdict;
      if (matching.steps.left < 0) return false;
    }
    return false;
  };
}
