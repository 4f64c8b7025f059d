import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  dig,
  type DocumentPath,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { operationName } from "./values.ts";

const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** The problems of a Values document that its shape does not show: each with the path of its part. */
export function valueProblems(document: Json): readonly (PathDiagnostic & { readonly hint: string })[] {
  const problems: (PathDiagnostic & { readonly hint: string })[] = [];
  const globals = asObject(field(document, "globalValues")) ?? {};
  const operation = asString(globals[operationName]);
  if (operation !== undefined && operation !== "" && !operations.includes(operation)) {
    problems.push({
      severity: "error",
      code: "unknown-operation",
      message: `There is no operation ${JSON.stringify(operation)}`,
      hint: `write one of ${operations.join(", ")}`,
      path: ["globalValues", operationName],
    });
  }
  replacedObjects(globals, ["globalValues"]);
  asList(field(document, "policies")).forEach((policy, at) => {
    asList(field(policy, "resources")).forEach((resource, index) => {
      const path = ["policies", at, "resources", index, "values"];
      replacedObjects(asObject(field(resource, "values")) ?? {}, path);
    });
    asList(field(policy, "rules")).forEach((rule, index) => {
      for (const [name, list] of Object.entries(asObject(field(rule, "foreachValues")) ?? {})) {
        if (!Array.isArray(list) || list.length > 0) continue;
        const path = ["policies", at, "rules", index, "foreachValues", name];
        const message = `The list of ${name} is empty, and its first item is the value`;
        problems.push({ severity: "error", code: "wrong-type", message, hint: "write [VALUE]", path });
      }
    });
  });
  asList(field(document, "subresources")).forEach((entry, at) => {
    const name = asString(dig(entry, "subresource", "name")) ?? "";
    if (name.includes("/")) return;
    const message = `A subresource has no name such as ${JSON.stringify(name)}`;
    const path = ["subresources", at, "subresource", "name"];
    const hint = "write PARENT/SUBRESOURCE, as deployments/scale";
    problems.push({ severity: "error", code: "bad-name", message, hint, path });
  });
  return problems;

  /** A value in place of an object would leave nothing to check. */
  function replacedObjects(values: JsonObject, path: DocumentPath): void {
    for (const name of ["request", "request.object", "request.oldObject"]) {
      if (!Object.hasOwn(values, name) || isObject(values[name]!)) continue;
      const message = `${name} must be an object: nothing would be checked`;
      const hint = "name a part of it, as request.object.metadata.labels.a";
      problems.push({ severity: "error", code: "wrong-type", message, hint, path: [...path, name] });
    }
  }
}
