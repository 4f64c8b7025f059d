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
import { admissionOperations } from "../kube/mod.ts";
import { operationName } from "./values.ts";

/** A problem of a part of a Values document, with its path. */
type ValueProblem = PathDiagnostic & { readonly hint: string };

/** The problems of a Values document that its shape does not show. */
export function valueProblems(document: Json): readonly ValueProblem[] {
  const globals = asObject(field(document, "globalValues")) ?? {};
  return [
    ...operationProblems(globals),
    ...replacedObjects(globals, ["globalValues"]),
    ...asList(field(document, "policies")).flatMap((policy, at) => policyProblems(policy, ["policies", at])),
    ...asList(field(document, "subresources")).flatMap((entry, at) =>
      subresourceProblems(entry, ["subresources", at])
    ),
  ];
}

function operationProblems(globals: JsonObject): ValueProblem[] {
  const operation = asString(globals[operationName]);
  if (operation === undefined || operation === "" || admissionOperations.some((each) => each === operation)) {
    return [];
  }
  return [{
    severity: "error",
    code: "unknown-operation",
    message: `There is no operation ${JSON.stringify(operation)}`,
    hint: `write one of ${admissionOperations.join(", ")}`,
    path: ["globalValues", operationName],
  }];
}

/** A value in place of an object would leave nothing to check. */
function replacedObjects(values: JsonObject, path: DocumentPath): ValueProblem[] {
  return ["request", "request.object", "request.oldObject"]
    .filter((name) => Object.hasOwn(values, name) && !isObject(values[name]!))
    .map((name) => ({
      severity: "error",
      code: "wrong-type",
      message: `${name} must be an object: nothing would be checked`,
      hint: "name a part of it, as request.object.metadata.labels.a",
      path: [...path, name],
    }));
}

function policyProblems(policy: Json, path: DocumentPath): ValueProblem[] {
  const ofResources = asList(field(policy, "resources")).flatMap((resource, index) =>
    replacedObjects(asObject(field(resource, "values")) ?? {}, [...path, "resources", index, "values"])
  );
  const ofRules = asList(field(policy, "rules")).flatMap((rule, index) =>
    emptyLists(asObject(field(rule, "foreachValues")) ?? {}, [...path, "rules", index, "foreachValues"])
  );
  return [...ofResources, ...ofRules];
}

function emptyLists(values: JsonObject, path: DocumentPath): ValueProblem[] {
  return Object.entries(values).filter(([, list]) => Array.isArray(list) && list.length === 0)
    .map(([name]) => ({
      severity: "error",
      code: "wrong-type",
      message: `The list of ${name} is empty, and its first item is the value`,
      hint: "write [VALUE]",
      path: [...path, name],
    }));
}

function subresourceProblems(entry: Json, path: DocumentPath): ValueProblem[] {
  const name = asString(dig(entry, "subresource", "name")) ?? "";
  if (name.includes("/")) return [];
  return [{
    severity: "error",
    code: "bad-name",
    message: `A subresource has no name such as ${JSON.stringify(name)}`,
    hint: "write PARENT/SUBRESOURCE, as deployments/scale",
    path: [...path, "subresource", "name"],
  }];
}
