import type { Context, ContextEntry } from "../context/mod.ts";
import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { Fault, field, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { extractImages } from "../kube/mod.ts";
import { ruleImageExtractors } from "../rules/mod.ts";

/**
 * The `images` of a rule that says itself where images are (`imageExtractors`): objects of the kinds that it names are
 * read its way, all others as usual. It comes before the rule's other entries, so these see it.
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
