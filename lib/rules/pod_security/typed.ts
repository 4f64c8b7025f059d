import { compareBytes, isList, isObject, type Json, type JsonObject, sortedKeys } from "../../json/mod.ts";
import { quantityProblem } from "../../kube/mod.ts";
import { jsonKind } from "../../patch/mod.ts";
import { timestampProblem } from "./timestamp.ts";

/** The type of a Kubernetes field, for the fields that the controls read. Other fields are ignored. */
export type Type =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "quantity"
  | "time"
  | { readonly list: Type }
  | { readonly values: Type }
  | Struct;

/** An object with known fields, sorted by name. */
interface Struct {
  readonly struct: string;
  readonly fields: readonly (readonly [name: string, type: Type])[];
}

/** The type of an object with these fields. */
export function struct(name: string, fields: Readonly<Record<string, Type>>): Type {
  return { struct: name, fields: sortedKeys(fields).map((field) => [field, fields[field]!] as const) };
}

/** The position of a value: the innermost struct, and the path from the root without indexes, as Go prints them. */
interface FieldPosition {
  readonly struct: string;
  readonly path: string;
}

/**
 * Why a value cannot be read as the type, in Go's words; `undefined` when it can. Null counts as unset. The first
 * problem in the order of sorted keys is returned, because Kyverno reads its sorted output.
 */
export function typeProblem(value: Json, type: Type): string | undefined {
  return problemAt(value, type, { struct: "", path: "" });
}

function problemAt(value: Json, type: Type, position: FieldPosition): string | undefined {
  if (value === null) return undefined;
  switch (type) {
    case "string":
      return typeof value === "string" ? undefined : mismatch(value, type, position);
    case "bool":
      return typeof value === "boolean" ? undefined : mismatch(value, type, position);
    case "int32":
      return isInteger(value, 2 ** 31) ? undefined : mismatch(value, type, position);
    case "int64":
      return isInteger(value, 2 ** 63) ? undefined : mismatch(value, type, position);
    case "quantity":
      return quantityProblem(typeof value === "string" ? value : JSON.stringify(value));
    case "time":
      return typeof value === "string"
        ? timestampProblem(value)
        : `json: cannot unmarshal ${jsonKind(value)} into Go value of type string`;
  }
  if ("list" in type) {
    return isList(value) ? listProblem(value, type.list, position) : mismatch(value, type, position);
  }
  if (!isObject(value)) return mismatch(value, type, position);
  return "values" in type
    ? valuesProblem(value, type.values, position)
    : fieldsProblem(value, type, position);
}

function listProblem(list: readonly Json[], type: Type, position: FieldPosition): string | undefined {
  for (const item of list) {
    const problem = problemAt(item, type, position);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valuesProblem(object: JsonObject, type: Type, position: FieldPosition): string | undefined {
  // Only the keys with problems are sorted: a Pod may have a hundred thousand annotations.
  const [first] = Object.keys(object).filter((key) => problemAt(object[key]!, type, position) !== undefined)
    .sort(compareBytes);
  return first === undefined ? undefined : problemAt(object[first]!, type, position);
}

function fieldsProblem(
  object: JsonObject,
  { struct, fields }: Struct,
  { path }: FieldPosition,
): string | undefined {
  for (const [name, type] of fields) {
    if (!Object.hasOwn(object, name)) continue;
    const position = { struct, path: path === "" ? name : `${path}.${name}` };
    const problem = problemAt(object[name]!, type, position);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isInteger(value: Json, limit: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value < limit && value >= -limit;
}

function mismatch(value: Json, type: Type, { struct, path }: FieldPosition): string {
  const at = path === "" ? "Go value" : `Go struct field ${struct}.${path}`;
  const found = typeof value === "number" && (type === "int32" || type === "int64")
    ? `number ${value}`
    : jsonKind(value);
  return `json: cannot unmarshal ${found} into ${at} of type ${goType(type)}`;
}

function goType(type: Type): string {
  if (typeof type === "string") return type;
  if ("list" in type) return `[]${goType(type.list)}`;
  if ("values" in type) return `map[string]${goType(type.values)}`;
  return `v1.${type.struct}`;
}
