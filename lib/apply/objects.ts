import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import { asString, type DocumentPath, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { itemsOf } from "./documents.ts";
import { filled } from "./manifest_objects.ts";
import { withNamespace } from "./resource_request.ts";

/** An object that policies are applied to, with its source. */
export interface GivenObject {
  readonly object: JsonObject;
  /** Returns the position of a part of it in its file; absent for objects of a cluster. */
  readonly positionOf?: (path: DocumentPath) => Position;
}

/** The objects of a document, and diagnostics for parts that are not objects. */
export interface DocumentObjects {
  readonly objects: readonly GivenObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The objects of a document, ready for policies: items of lists, with a namespace where they have none, and empty
 * maps for null. A value that is not an object, or has no kind or apiVersion, is a diagnostic:
 * no policy would check it as the API server does.
 */
export function documentObjects({ value, positionOf }: YamlDocument): DocumentObjects {
  const objects: GivenObject[] = [];
  const diagnostics: Diagnostic[] = [];
  add(value, []);
  return { objects, diagnostics };

  function add(item: Json, path: DocumentPath): void {
    const items = itemsOf(item);
    if (items !== undefined) {
      items.forEach((inner, index) => add(inner, [...path, "items", index]));
      return;
    }
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
      hint: "check what Helm or kustomize renders, and JSON that is no Kubernetes object with --json",
    };
  }
  if ((asString(item["apiVersion"]) ?? "") === "") {
    return {
      message: "The object has no apiVersion",
      hint: "kubectl explain KIND prints the group and the version of a kind",
    };
  }
  return undefined;
}
