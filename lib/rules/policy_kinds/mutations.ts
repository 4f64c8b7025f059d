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
import type { LoadTracker } from "../../context/mod.ts";
import { builtinKind } from "../../kube/mod.ts";
import {
  applyStrictly,
  applyTypeOf,
  atomicFields,
  type PatchOperation,
  type StructType,
  structuredMerge,
} from "../../patch/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import type { CelEvaluation, ExpressionSet } from "../cel/mod.ts";
import { jsonPatchListType, objectPatchType } from "./patch_types.ts";

/** How apply configurations are applied. */
export interface Applying {
  /** Whether an apply configuration needs the schema of its kind, or may merge without one. */
  readonly schema: "required" | "where known";
  /** Whether it may replace atomic lists, maps and structs. */
  readonly replacesAtomics: boolean;
}

/** How a `MutatingPolicy` applies its apply configurations. */
export function applyingOf({ useServerSideApply }: Policy): Applying {
  return { schema: "required", replacesAtomics: useServerSideApply };
}

/** Applies the mutations of a policy in order. Each sees the object that the one before left. */
export type Mutations = (
  object: JsonObject,
  evaluation: CelEvaluation,
  changed: { readonly see: See; readonly store: LoadTracker },
) => JsonObject | Fault;

/** Sets the object that expressions read from now on. */
export type See = (object: JsonObject) => void;

interface Mutation {
  readonly form: "ApplyConfiguration" | "JSONPatch";
  readonly program: Program | undefined;
}

/** Compiles `mutations: [{patchType, applyConfiguration | jsonPatch: {expression}}]`. */
export function compileMutations(
  written: Json | undefined,
  expressions: ExpressionSet,
  applying: Applying,
): Mutations {
  const mutations = asList(written).filter(isObject).map((mutation, index) =>
    compileMutation(mutation, index, expressions)
  );
  return (object, evaluation, { see, store }) => {
    let current = object;
    for (const { form, program } of mutations) {
      if (program === undefined) return new Fault("an expression does not compile");
      const value = evaluation.evaluate(program);
      const made = isCelFault(value) ? value : celToJson(value);
      if (isFault(made)) return new Fault(made.message);
      const next = form === "JSONPatch"
        ? patched(current, made)
        : merged(current, made, schemaFor(current, applying, store));
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
    const expressionPath = [...path, "jsonPatch", "expression"];
    return { form: "JSONPatch", program: expressions.compile(text, expressionPath, [jsonPatchListType]) };
  }
  if (patchType !== "ApplyConfiguration") {
    expressions.mistake(`patchType cannot be "${patchType}": use ApplyConfiguration or JSONPatch`, [
      ...path,
      "patchType",
    ]);
  }
  const text = asString(dig(mutation, "applyConfiguration", "expression")) ?? "";
  const expressionPath = [...path, "applyConfiguration", "expression"];
  return {
    form: "ApplyConfiguration",
    program: expressions.compile(text, expressionPath, [objectPatchType]),
  };
}

function patched(object: JsonObject, made: Json): JsonObject | Fault {
  const operations = asList(made).filter(isObject).map((operation) => operation as unknown as PatchOperation);
  const result = applyStrictly(operations, object);
  if (isFault(result)) return new Fault(`JSON Patch: ${result.message}`);
  return isObject(result) ? result : new Fault("JSON Patch: the patch leaves no object");
}

/**
 * The merge schema of an object's kind. Kyverno parity: without a cluster, custom resources have no schema, and
 * nothing can be merged into them. Pinned by "MutatingPolicy: without a cluster no patch merges into custom resources".
 */
function schemaFor(
  object: JsonObject,
  { schema, replacesAtomics }: Applying,
  store: LoadTracker,
): MergeSchema | Fault {
  const apiVersion = asString(object["apiVersion"]) ?? "", kind = asString(object["kind"]) ?? "";
  const isBuiltin = builtinKind(kind) !== undefined;
  if (schema === "required" && !isBuiltin && !store.serves("downstream")) {
    return new Fault("error applying patch: type converter must not be nil");
  }
  return { type: applyTypeOf(apiVersion, kind), isChecked: isBuiltin, replacesAtomics };
}

interface MergeSchema extends Pick<Applying, "replacesAtomics"> {
  readonly type: StructType | undefined;
  /** Whether the types of fields are checked. */
  readonly isChecked: boolean;
}

function merged(object: JsonObject, patch: Json, schema: MergeSchema | Fault): JsonObject | Fault {
  if (!isObject(patch)) return new Fault("invalid return type: an apply configuration must be an object");
  if (isFault(schema)) return schema;
  const problem = (schema.isChecked ? typeProblem(patch) : undefined) ??
    (schema.replacesAtomics ? undefined : atomicProblem(patch, schema.type));
  const result = problem ?? structuredMerge(object, patch, schema.type);
  return isFault(result) ? new Fault(`error applying patch: ${result.message}`) : result;
}

/**
 * Whoever names an atomic list means to add to it, and would remove all other elements.
 *
 * Kyverno parity: useServerSideApply allows it. Of custom resources Kyverno reads the schema from the cluster; here each
 * of their lists counts as atomic, which is the default of schemas. Pinned by "MutatingPolicy: an apply configuration
 * with an atomic list is an error without useServerSideApply".
 */
function atomicProblem(patch: JsonObject, type: StructType | undefined): Fault | undefined {
  const paths = atomicFields(patch, type);
  if (paths.length === 0) return undefined;
  return new Fault(
    `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${paths.join(", ")}`,
  );
}

/** Checks that labels and annotations are texts. The types of other fields are unknown here. */
function typeProblem(patch: JsonObject): Fault | undefined {
  for (const part of ["labels", "annotations"]) {
    const values = dig(patch, "metadata", part);
    if (!isObject(values)) continue;
    for (const [name, value] of Object.entries(values)) {
      if (isString(value)) continue;
      return new Fault(
        `failed to convert patch object to typed object: .metadata.${part}.${name}: expected string, got &value.valueUnstructured{Value:${
          JSON.stringify(value ?? 0)
        }}`,
      );
    }
  }
  return undefined;
}

/** A variable `object` that changes with each mutation. */
export function changingObject(): { readonly over: Activation; readonly see: See } {
  let current: JsonObject | undefined;
  return {
    over: (name) => name === "object" ? current : undefined,
    see: (object) => void (current = object),
  };
}
