import type { Context, ContextEntry } from "../context/mod.ts";
import {
  asList,
  asString,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  scopeOf,
} from "../json/mod.ts";
import { compileExpression, type Environment } from "../jmespath/mod.ts";
import { compileImageExtractors, extractImages, type ImageExtractorConfig } from "../kube/mod.ts";
import type { RuleProblem } from "../rules/mod.ts";

/**
 * The `images` of a rule that says itself where images are (`imageExtractors`): objects of the kinds that it names are
 * read its way, all others as usual. It comes before the rule's other entries, so these see it.
 */
export function compileOwnImages(written: JsonObject, report: (problem: RuleProblem) => void): ContextEntry {
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
  const extractors = compileImageExtractors(configs);
  return { name: "images", source: "value", load };

  function load(view: Context): Json | Fault | undefined {
    const request = view.get("request");
    if (request === undefined || isFault(request)) return request;
    const images = extractImages(field(request, "object") ?? null, { extractors });
    if (isFault(images)) return new Fault(`failed to extract images: ${images.message}`);
    return Object.keys(images).length > 0 ? images : undefined;
  }
}

type Report = (problem: Pick<RuleProblem, "code" | "message" | "hint" | "path">) => void;

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
  if (!isFault(expression)) return (value) => expression.evaluate(scopeOf(value), standstill);
  report({ code: "bad-expression", message: expression.message, path: ["jmesPath"] });
  return () => expression;
}

/** An image's text follows from the value alone: there is neither time nor chance in it. */
const standstill: Environment = { now: () => 0, random: () => 0 };
