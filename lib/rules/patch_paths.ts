import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asString,
  type DocumentPath,
  field,
  isFault,
  isList,
  isString,
  type Json,
  parsePointer,
} from "../json/mod.ts";
import { markVariables } from "../template/mod.ts";
import { parseYaml } from "../yaml/mod.ts";

type PathProblem = Pick<PathDiagnostic, "code" | "message" | "hint">;

/** Replaces a variable while the text around it is parsed. */
const placeholder = "\uE000";

/** The fields of an object's metadata. A path to any other field leads nowhere, whatever the kind. */
const metadataFields = new Set([
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
]);

/**
 * Finds paths of `patchesJson6902` that hold variables, which only foreach allows, and paths that can never exist.
 * Unreadable text has no paths; applying it reports its problem.
 */
export function pathProblems(operations: Json, at: DocumentPath): PathDiagnostic[] {
  const within = at.includes("foreach") ? "foreach" : "rule";
  return readOperations(operations).flatMap((operation) => {
    const names = ["path", "from"].filter((name) => isString(field(operation, name)));
    return names.flatMap((name): PathDiagnostic[] => {
      const problem = problemOf(asString(field(operation, name))!, within);
      return problem === undefined ? [] : [{ severity: "error", ...problem, path: at }];
    });
  });
}

/** The operations of a patch, with variables as placeholders. */
export function readOperations(operations: Json): readonly Json[] {
  const parsed = isString(operations) ? parseYaml(markVariables(operations, placeholder)) : operations;
  return !isFault(parsed) && isList(parsed) ? parsed : [];
}

function problemOf(path: string, within: "rule" | "foreach"): PathProblem | undefined {
  const shown = path.replaceAll(placeholder, "{{ … }}");
  if (path.includes(placeholder)) {
    // Kyverno parity: variables in a path are allowed in foreach alone. Pinned by
    // tests/rules/mutation_diagnostics_test.ts.
    if (within === "foreach") return undefined;
    return {
      code: "variable-in-path",
      message: `variables are forbidden in the path of a JSON patch: "${shown}"`,
      hint: "move the patch into mutate.foreach, or use patchStrategicMerge",
    };
  }
  if (path !== "" && !path.startsWith("/")) {
    return {
      code: "impossible-path",
      message: `the path "${shown}" must begin with a slash`,
      hint: `use "/${shown}"`,
    };
  }
  const [first, second] = parsePointer(path);
  if (first === "metadata" && second !== undefined && !metadataFields.has(second)) {
    return {
      code: "impossible-path",
      message: `the path "${shown}" can never exist: metadata has no field "${second}"`,
    };
  }
  return undefined;
}
