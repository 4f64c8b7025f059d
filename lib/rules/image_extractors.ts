import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asList,
  asString,
  type Fault,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  scopeOf,
} from "../json/mod.ts";
import { compileExpression, fixedEnvironment } from "../jmespath/mod.ts";
import { compileImageExtractors, type ImageExtractorConfig, type ImageExtractors } from "../kube/mod.ts";

/** The image extractors of a rule with `imageExtractors`. Kinds that the rule does not name have the usual ones. */
export function ruleImageExtractors(
  written: JsonObject,
  report: (problem: PathDiagnostic) => void,
): ImageExtractors {
  const configs = Object.fromEntries(
    Object.entries(written).map(([kind, entries]) => [
      kind,
      asList(entries).filter(isObject).map((entry, index) =>
        configOf(
          entry,
          (problem) =>
            report({
              severity: "error",
              ...problem,
              path: ["imageExtractors", kind, index, ...problem.path],
            }),
        )
      ),
    ]),
  );
  return compileImageExtractors(configs);
}

type Report = (problem: Pick<PathDiagnostic, "code" | "message" | "hint" | "path">) => void;

function configOf(entry: JsonObject, report: Report): ImageExtractorConfig {
  const path = asString(entry["path"]) ?? "";
  if (path === "") {
    report({
      code: "missing-path",
      message: "An image extractor needs a path",
      hint: "such as /spec/steps/*/image",
      path: [],
    });
  }
  const query = asString(entry["jmesPath"]) ?? "";
  return {
    path,
    value: asString(entry["value"]) ?? "",
    name: asString(entry["name"]) ?? "",
    key: asString(entry["key"]) ?? "",
    ...(query !== "" && { transform: transformOf(query, report) }),
  };
}

function transformOf(query: string, report: Report): (value: string) => Json | Fault {
  const expression = compileExpression(query, { root: "document" });
  // The text of an image depends on the value alone.
  if (!isFault(expression)) return (value) => expression.evaluate(scopeOf(value), fixedEnvironment);
  report({ code: "bad-expression", message: expression.message, path: ["jmesPath"] });
  return () => expression;
}
