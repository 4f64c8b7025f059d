import type { Context, ContextEntry } from "../context/mod.ts";
import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { Fault, field, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { extractImages } from "../kube/mod.ts";
import { ruleImageExtractors } from "../rules/mod.ts";

/**
 * The context entry `images` of a rule with `imageExtractors`. The rule's extractors read objects of their kinds, the
 * usual ones all others. It comes before the rule's other entries, so they can read it.
 */
export function compileRuleImages(
  written: JsonObject,
  report: (problem: PathDiagnostic) => void,
): ContextEntry {
  const extractors = ruleImageExtractors(written, report);
  return { name: "images", source: "value", load };

  function load(view: Context): Json | Fault | undefined {
    const request = view.get("request");
    if (request === undefined || isFault(request)) return request;
    const images = extractImages(field(request, "object") ?? null, { extractors });
    if (isFault(images)) return new Fault(`failed to extract images: ${images.message}`);
    return Object.keys(images).length > 0 ? images : undefined;
  }
}
