import { compile, type CompileOptions, type Snapshot } from "../../engine/mod.ts";
import { asObject, asString, field, type Json, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import { controllersAnnotation } from "../../policy/mod.ts";
import { objectDocument } from "../object_document.ts";

/** A compiled policy that deletes objects on a schedule. */
export interface CleanupPolicy {
  readonly schedule: string;
  /** The namespace of its objects; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  readonly propagation: string | undefined;
  /** The snapshot with the one policy. Its result for an object decides whether the object is deleted. */
  readonly snapshot: Snapshot;
  readonly deletes: "pass" | "fail";
}

/** Reads a CleanupPolicy, ClusterCleanupPolicy, DeletingPolicy or NamespacedDeletingPolicy. */
export function cleanupPolicy(object: JsonObject, compiling: CompileOptions): CleanupPolicy {
  const spec = asObject(object["spec"]) ?? {};
  const kind = asString(object["kind"]) ?? "";
  const isClassic = kind.endsWith("CleanupPolicy");
  const document = isClassic ? asValidation(object, spec) : object;
  const isNamespaced = kind === "CleanupPolicy" || kind === "NamespacedDeletingPolicy";
  return {
    schedule: asString(field(spec, "schedule")) ?? "",
    namespace: isNamespaced ? namespaceOf(object) : undefined,
    propagation: asString(field(spec, "deletionPropagationPolicy")),
    snapshot: compile([objectDocument(document)], compiling),
    deletes: isClassic ? "fail" : "pass",
  };
}

/**
 * The cleanup policy as a validation: it deletes the objects that `validate.deny` with the same conditions would
 * deny. Its conditions call the object `target`.
 */
function asValidation(object: JsonObject, spec: JsonObject): JsonObject {
  const conditions = aboutObject(field(spec, "conditions"));
  const namespace = namespaceOf(object);
  return {
    apiVersion: "kyverno.io/v1",
    kind: namespace === "" ? "ClusterPolicy" : "Policy",
    metadata: {
      name: nameOf(object),
      ...(namespace !== "" && { namespace }),
      annotations: { [controllersAnnotation]: "none" },
    },
    spec: {
      background: true,
      rules: [{
        name: "cleanup",
        match: field(spec, "match") ?? {},
        ...(field(spec, "exclude") !== undefined && { exclude: field(spec, "exclude")! }),
        ...(field(spec, "context") !== undefined && { context: aboutObject(field(spec, "context")) }),
        validate: { message: "selected", deny: conditions === null ? {} : { conditions } },
      }],
    },
  };
}

/** Replaces variables about `target` by variables about the object. */
function aboutObject(value: Json | undefined): Json {
  if (value === undefined) return null;
  const written = JSON.stringify(value);
  let text = "", at = 0;
  // The text is searched step by step: a regular expression would search for the end of each of many unclosed
  // variables.
  for (let open = written.indexOf("{{"); open >= 0; open = written.indexOf("{{", at)) {
    const close = written.indexOf("}}", open + 2);
    if (close < 0) break;
    const variable = written.slice(open, close + 2);
    text += written.slice(at, open) + variable.replace(/\btarget\b/g, "request.object");
    at = close + 2;
  }
  return JSON.parse(text + written.slice(at)) as Json;
}
