import assert from "node:assert/strict";
import type { PathDiagnostic } from "../../../lib/diagnostics/mod.ts";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctions,
  kyvernoFunctions,
} from "../../../lib/jmespath/mod.ts";
import { celForTrees, compilersOf, compileTree, violationText } from "../../../lib/rules/assertion/mod.ts";

/** JMESPath and CEL with all functions. */
export const compilers = compilersOf(
  communityCompiler(communityFunctions(kyvernoFunctions())),
  celForTrees(),
);

const environment = { now: () => 0, random: () => 0 };

/** The input of an expression beside the payload: the given bindings and the environment. */
export function expressionInput(
  bindings: JsonObject = {},
): { bindings: Bindings; environment: typeof environment } {
  let all: Bindings = Bindings.none;
  for (const [name, value] of Object.entries(bindings)) all = all.with(name, value);
  return { bindings: all, environment };
}

/** The texts of a tree's violations, or of its fault in a list of its own. */
export function violationsOf(tree: Json, payload: Json, bindings: JsonObject = {}): readonly string[] {
  const problems: PathDiagnostic[] = [];
  const compiled = compileTree(tree, {
    compilers,
    path: ["check"],
    report: (problem) => problems.push(problem),
  });
  assert.deepEqual(problems, []);
  const violations = compiled(payload, expressionInput(bindings));
  return isFault(violations) ? [`fault: ${violations.message}`] : violations.map(violationText);
}
