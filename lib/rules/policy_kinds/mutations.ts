import { type Activation, celToJson, isCelFault, type Program } from "../../cel/mod.ts";
import {
  asList,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { builtinKind } from "../../kube/mod.ts";
import { applyStrictly, mergeTypeOf, type Operation, structuredMerge } from "../../patch/mod.ts";
import type { CelEvaluation, ExpressionSet } from "../cel/mod.ts";
import { jsonPatchListType, objectPatchType } from "./patch_types.ts";

/** What lists and fields an apply configuration may merge: those of the kind's schema, or as the values look. */
export type Schema = "typed" | "deduced";

/** Applies the mutations of a policy one after the other, each seeing the object that the one before left. */
export type Mutations = (object: JsonObject, evaluation: CelEvaluation, see: See) => JsonObject | Fault;

/** Is told the object that expressions evaluated from now on see. */
export type See = (object: JsonObject) => void;

interface Mutation {
  readonly form: "ApplyConfiguration" | "JSONPatch";
  readonly program: Program | undefined;
}

/** Compiles `mutations: [{patchType, applyConfiguration | jsonPatch: {expression}}]`. */
export function compileMutations(
  written: Json | undefined,
  expressions: ExpressionSet,
  schema: Schema,
): Mutations {
  const mutations = asList(written).filter(isObject).map((mutation, index) =>
    compileMutation(mutation, index, expressions)
  );
  return (object, evaluation, see) => {
    let current = object;
    for (const { form, program } of mutations) {
      if (program === undefined) return new Fault("an expression does not compile");
      const value = evaluation.evaluate(program);
      const made = isCelFault(value) ? value : celToJson(value);
      if (isFault(made)) return new Fault(made.message);
      const next = form === "JSONPatch" ? patched(current, made) : merged(current, made, schema);
      if (isFault(next)) return next;
      current = next;
      see(current);
    }
    return current;
  };
}

function compileMutation(mutation: JsonObject, index: number, expressions: ExpressionSet): Mutation {
  const path = ["spec", "mutations", index];
  const patchType = asString(field(mutation, "patchType")) ??
    (field(mutation, "jsonPatch") === undefined ? "ApplyConfiguration" : "JSONPatch");
  if (patchType === "JSONPatch") {
    const text = asString(dig(mutation, "jsonPatch", "expression")) ?? "";
    const place = [...path, "jsonPatch", "expression"];
    return { form: "JSONPatch", program: expressions.compile(text, place, [jsonPatchListType]) };
  }
  if (patchType !== "ApplyConfiguration") {
    expressions.mistake(`patchType cannot be "${patchType}": use ApplyConfiguration or JSONPatch`, [
      ...path,
      "patchType",
    ]);
  }
  const text = asString(dig(mutation, "applyConfiguration", "expression")) ?? "";
  const place = [...path, "applyConfiguration", "expression"];
  return { form: "ApplyConfiguration", program: expressions.compile(text, place, [objectPatchType]) };
}

function patched(object: JsonObject, made: Json): JsonObject | Fault {
  const operations = asList(made).filter(isObject).map((operation) => operation as unknown as Operation);
  const result = applyStrictly(operations, object);
  if (isFault(result)) return new Fault(`JSON Patch: ${result.message}`);
  return isObject(result) ? result : new Fault("JSON Patch: the patch leaves no object");
}

function merged(object: JsonObject, patch: Json, schema: Schema): JsonObject | Fault {
  if (!isObject(patch)) return new Fault("invalid return type: an apply configuration must be an object");
  const apiVersion = asString(object["apiVersion"]) ?? "", kind = asString(object["kind"]) ?? "";
  const problem = schema === "typed" && builtinKind(kind) !== undefined ? typeProblem(patch) : undefined;
  const result = problem ??
    structuredMerge(object, patch, schema === "typed" ? mergeTypeOf(apiVersion, kind) : undefined);
  return isFault(result) ? new Fault(`error applying patch: ${result.message}`) : result;
}

/** Labels and annotations are texts; other types are not known here. */
function typeProblem(patch: JsonObject): Fault | undefined {
  for (const part of ["labels", "annotations"]) {
    const values = dig(patch, "metadata", part);
    if (!isObject(values)) continue;
    for (const [name, value] of Object.entries(values)) {
      if (isString(value)) continue;
      return new Fault(
        `failed to convert patch object to typed object: .metadata.${part}.${name}: expected string, got &value.valueUnstructured{Value:${
          JSON.stringify(value)
        }}`,
      );
    }
  }
  return undefined;
}

/** Makes expressions see the object as changed so far. */
export function changingObject(): { readonly over: Activation; readonly see: See } {
  let current: JsonObject | undefined;
  return {
    over: (name) => name === "object" ? current : undefined,
    see: (object) => void (current = object),
  };
}
