import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import { asList, asString, type DocumentPath, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { filled } from "./manifest_objects.ts";
import { withNamespace } from "./resource_request.ts";

/** An object that policies are applied to, and where it comes from. */
export interface GivenObject {
  readonly object: JsonObject;
  /** Where a part of it stands in its file; absent for objects of a cluster. */
  readonly positionOf?: (path: DocumentPath) => Position;
}

/** The objects of a document, and why parts of it are none. */
export interface DocumentObjects {
  readonly objects: readonly GivenObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The objects of a document as policies see them: lists opened, a namespace where there is none, maps that are null as
 * empty ones. What is no object, or has no kind, is a diagnostic: nothing would check it.
 */
export function documentObjects({ value, positionOf }: YamlDocument): DocumentObjects {
  const objects: GivenObject[] = [];
  const diagnostics: Diagnostic[] = [];
  const kind = isObject(value) ? asString(value["kind"]) ?? "" : "";
  if (isObject(value) && kind.endsWith("List") && Array.isArray(value["items"])) {
    asList(value["items"]).forEach((item, index) => add(item, ["items", index]));
  } else add(value, []);
  return { objects, diagnostics };

  function add(item: Json, path: DocumentPath): void {
    const problem = problemOf(item);
    if (problem !== undefined) {
      const position = positionOf(path);
      diagnostics.push({ severity: "error", code: "no-object", ...problem, position });
    } else {
      objects.push({
        object: withNamespace(filled(item) as JsonObject),
        positionOf: (inner) => positionOf([...path, ...inner]),
      });
    }
  }
}

function problemOf(item: Json): Pick<Diagnostic, "message" | "hint"> | undefined {
  if (Array.isArray(item)) {
    return {
      message: "A list is no object",
      hint: "write the objects as documents, or as a list of kind List",
    };
  }
  if (!isObject(item)) return { message: `${JSON.stringify(item)} is no object` };
  if ((asString(item["kind"]) ?? "") === "") {
    return {
      message: "The object has no kind",
      hint: "JSON that is no Kubernetes object is checked with --json",
    };
  }
  return undefined;
}
