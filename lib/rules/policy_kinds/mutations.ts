import type { Activation, Program } from "../../cel/mod.ts";
import {
  asList,
  asString,
  clipped,
  dig,
  Fault,
  field,
  goJson,
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
  type ApplyTypes,
  atomicFields,
  type PatchOperation,
  readApplyTypes,
  type StructType,
  structuredMerge,
} from "../../patch/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import type { CelEvaluation, ExpressionSet } from "../cel/mod.ts";
import { jsonPatchListType, objectPatchType } from "./patch_types.ts";
import type { PolicyTools } from "./policy_kind.ts";

/** How apply configurations are applied. */
export interface Applying {
  /** Whether an apply configuration needs the schema of its kind, or may merge without one. */
  readonly schema: "required" | "optional";
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
  changed: {
    readonly see: See;
    readonly tracker: LoadTracker;
    /** Receives a mutation's fault, and the others are applied; without it the first fault is the result. */
    readonly passOver?: (fault: Fault) => void;
  },
) => JsonObject | Fault;

/** Sets the object that expressions read from now on. */
export type See = (object: JsonObject) => void;

interface Mutation {
  /** The expression that makes the patch. */
  readonly program: Program | undefined;
  /** Changes an object as the patch says. */
  readonly apply: (object: JsonObject, patch: Json, tracker: LoadTracker) => JsonObject | Fault;
}

/** The expressions of the policy, and what policies share. */
export interface MutationTools extends Pick<PolicyTools, "once"> {
  readonly expressions: ExpressionSet;
}

/** Compiles `mutations: [{patchType, applyConfiguration | jsonPatch: {expression}}]`. */
export function compileMutations(
  written: Json | undefined,
  tools: MutationTools,
  applying: Applying,
): Mutations {
  const mutations = asList(written).filter(isObject).map((mutation, index): Mutation => {
    const { form, program } = compilePatch(mutation, index, tools.expressions);
    return { program, apply: form === "JSONPatch" ? patched : compileMerge(applying, tools) };
  });
  return (object, evaluation, { see, tracker, passOver }) => {
    let current = object;
    for (const mutation of mutations) {
      const next = mutated(current, mutation, { evaluation, tracker });
      if (isFault(next)) {
        if (passOver === undefined) return next;
        passOver(next);
        continue;
      }
      current = next;
      see(current);
    }
    return current;
  };
}

function mutated(
  object: JsonObject,
  { program, apply }: Mutation,
  { evaluation, tracker }: { readonly evaluation: CelEvaluation; readonly tracker: LoadTracker },
): JsonObject | Fault {
  if (program === undefined) return new Fault("an expression does not compile");
  const made = evaluation.evaluateToJson(program);
  if (isFault(made)) return new Fault(made.message);
  return tracker.countWritten(made) ?? apply(object, made, tracker);
}

function compilePatch(
  mutation: JsonObject,
  index: number,
  expressions: ExpressionSet,
): { readonly form: "ApplyConfiguration" | "JSONPatch"; readonly program: Program | undefined } {
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

function patched(object: JsonObject, made: Json, { steps }: LoadTracker): JsonObject | Fault {
  const operations = asList(made).filter(isObject).map((operation) => operation as unknown as PatchOperation);
  const result = applyStrictly(operations, object, steps);
  if (isFault(result)) return new Fault(`JSON Patch: ${result.message}`);
  if (isObject(result) && (asString(result["kind"]) ?? "") !== "") return result;
  return new Fault(`Internal error occurred: Object 'Kind' is missing in '${clipped(goJson(result), 200)}'`);
}

function compileMerge(applying: Applying, { once }: MutationTools): Mutation["apply"] {
  const typed = { ...applying, types: once(readApplyTypes) };
  return (object, patch, tracker) => merged(object, patch, schemaFor(object, typed, tracker));
}

/**
 * The merge schema of an object's kind. Kyverno parity: without a cluster, custom resources have no schema, and
 * nothing can be merged into them. Pinned by "MutatingPolicy: without a cluster no patch merges into custom resources".
 */
function schemaFor(
  object: JsonObject,
  { schema, replacesAtomics, types }: Applying & { readonly types: ApplyTypes },
  tracker: LoadTracker,
): MergeSchema | Fault {
  const apiVersion = asString(object["apiVersion"]) ?? "", kind = asString(object["kind"]) ?? "";
  const isBuiltin = builtinKind(kind) !== undefined;
  if (schema === "required" && !isBuiltin && !tracker.serves("downstream")) {
    return new Fault("error applying patch: type converter must not be nil");
  }
  return { type: types(apiVersion, kind), isChecked: isBuiltin, replacesAtomics };
}

interface MergeSchema extends Pick<Applying, "replacesAtomics"> {
  readonly type: StructType;
  /** Whether the types of fields are checked. */
  readonly isChecked: boolean;
}

function merged(object: JsonObject, patch: Json, schema: MergeSchema | Fault): JsonObject | Fault {
  if (!isObject(patch)) return new Fault("invalid return type: an apply configuration must be an object");
  if (isFault(schema)) return schema;
  const problem = (schema.isChecked ? typeProblem(patch) : undefined) ??
    (schema.replacesAtomics ? undefined : atomicProblem(patch, schema.type));
  // Kubernetes parity: an apply configuration cannot change what the object is. Pinned by "MutatingPolicy: an apply
  // configuration keeps apiVersion and kind".
  const { apiVersion: _version, kind: _kind, ...fields } = patch;
  const result = problem ?? structuredMerge(object, fields, schema.type);
  return isFault(result) ? new Fault(`error applying patch: ${result.message}`) : result;
}

/**
 * Refuses an apply configuration with an atomic list: its author means to add elements, but the merge would remove all
 * others.
 *
 * Kyverno parity: useServerSideApply allows it. Of custom resources Kyverno reads the schema from the cluster; here
 * each of their lists counts as atomic, which is the default of schemas. Pinned by "MutatingPolicy: an apply
 * configuration with an atomic list is an error without useServerSideApply".
 */
function atomicProblem(patch: JsonObject, type: StructType): Fault | undefined {
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
