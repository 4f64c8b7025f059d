import { asList, asString, field, isGiven, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { contextShape, type EntrySpec, parseContext } from "../../context/mod.ts";
import { selectorShape } from "../../shape/mod.ts";
import type { BodyFormat } from "./body_format.ts";
import { type LoopSpec, parseLoop } from "./check.ts";

/** One patch with its variables; `none` where a patch is missing. */
export type PatchSpec =
  | { readonly form: "merge"; readonly merge: Json }
  /** YAML text or a list. */
  | { readonly form: "json"; readonly operations: Json }
  | { readonly form: "none" };

/** One entry of `mutate.foreach`: a patch, or further loops, for each element. */
export interface PatchLoop extends LoopSpec {
  /** `undefined` when the policy names no order: the kind of patch then decides. */
  readonly order: string | undefined;
  readonly patch: PatchSpec;
  readonly inner: readonly PatchLoop[];
}

/** The change that a mutating rule makes to an object. */
export type ChangeSpec =
  | { readonly by: "patch"; readonly patch: PatchSpec }
  | { readonly by: "foreach"; readonly entries: readonly PatchLoop[] };

/** Changes the object of the request by one patch. */
export interface PatchBody {
  readonly kind: "patch";
  readonly change: Extract<ChangeSpec, { by: "patch" }>;
  /** Set in error: there are no targets that could be changed when the policy comes into force. */
  readonly onPolicyUpdate: boolean;
}

/** Changes the object of the request by a patch for each element of some lists. */
export interface MutateForeachBody {
  readonly kind: "mutateForeach";
  readonly change: Extract<ChangeSpec, { by: "foreach" }>;
  /** As in {@link PatchBody}. */
  readonly onPolicyUpdate: boolean;
}

/** Changes existing objects for the request's object, the trigger. */
export interface MutateExistingBody {
  readonly kind: "mutateExisting";
  readonly targets: readonly TargetSpec[];
  readonly change: ChangeSpec;
  /** Whether existing objects are changed when the policy comes into force. */
  readonly onPolicyUpdate: boolean;
}

/** One entry of `mutate.targets`; its texts are templates. */
export interface TargetSpec {
  readonly apiVersion: string;
  /** The kind, with a subresource behind `/` or `.`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly selector: Json | undefined;
  readonly context: readonly EntrySpec[];
  readonly preconditions: Json | undefined;
}

export const patchFormat: BodyFormat<PatchBody> = {
  kind: "patch",
  section: "mutate",
  shape: { patchStrategicMerge: "open", overlay: "open", patchesJson6902: "text" },
  recognises: (mutate) => !hasTargets(mutate) && !hasLoops(mutate),
  read: (mutate) => ({
    kind: "patch",
    change: { by: "patch", patch: parsePatch(mutate) },
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  carryOver,
};

export const mutateForeachFormat: BodyFormat<MutateForeachBody> = {
  kind: "mutateForeach",
  section: "mutate",
  shape: {
    foreach: [{
      list: "text",
      order: "text",
      context: contextShape,
      preconditions: "open",
      patchStrategicMerge: "open",
      patchesJson6902: "text",
      foreach: "open",
    }],
  },
  recognises: (mutate) => !hasTargets(mutate) && hasLoops(mutate),
  read: (mutate) => ({
    kind: "mutateForeach",
    change: { by: "foreach", entries: parseLoops(field(mutate, "foreach")) },
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  carryOver,
  entries: ({ change }) => change.entries.flatMap(entriesOfLoop),
};

export const mutateExistingFormat: BodyFormat<MutateExistingBody> = {
  kind: "mutateExisting",
  section: "mutate",
  shape: {
    mutateExistingOnPolicyUpdate: "flag",
    targets: [{
      apiVersion: "text",
      kind: "text",
      name: "text",
      namespace: "text",
      uid: "text",
      selector: selectorShape,
      context: contextShape,
      preconditions: "open",
    }],
  },
  recognises: hasTargets,
  read: (mutate) => ({
    kind: "mutateExisting",
    targets: asList(field(mutate, "targets")).filter(isObject).map(parseTarget),
    change: hasLoops(mutate)
      ? { by: "foreach", entries: parseLoops(field(mutate, "foreach")) }
      : { by: "patch", patch: parsePatch(mutate) },
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  carryOver,
  entries: ({ targets, change }) => [
    ...targets.flatMap(({ context }) => context),
    ...(change.by === "foreach" ? change.entries.flatMap(entriesOfLoop) : []),
  ],
};

function entriesOfLoop({ context, inner }: PatchLoop): readonly EntrySpec[] {
  return [...context, ...inner.flatMap(entriesOfLoop)];
}

function isOnPolicyUpdate(mutate: Json): boolean {
  return field(mutate, "mutateExistingOnPolicyUpdate") === true;
}

function hasTargets(mutate: Json): boolean {
  return asList(field(mutate, "targets")).length > 0;
}

function hasLoops(mutate: Json): boolean {
  return asList(field(mutate, "foreach")).length > 0;
}

function parsePatch(block: Json): PatchSpec {
  const merge = field(block, "patchStrategicMerge");
  if (isGiven(merge)) return { form: "merge", merge };
  const operations = field(block, "patchesJson6902");
  return isGiven(operations) && operations !== "" ? { form: "json", operations } : { form: "none" };
}

function parseLoops(written: Json | undefined): PatchLoop[] {
  return asList(written).filter(isObject).map((entry) => ({
    ...parseLoop(entry),
    order: asString(entry["order"]),
    patch: parsePatch(entry),
    inner: parseLoops(entry["foreach"]),
  }));
}

function parseTarget(target: JsonObject): TargetSpec {
  const text = (name: string): string => asString(target[name]) ?? "";
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    name: text("name"),
    namespace: text("namespace"),
    selector: target["selector"],
    context: parseContext(target["context"]),
    preconditions: isGiven(target["preconditions"]) ? target["preconditions"] : undefined,
  };
}

function carryOver(mutate: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined {
  const merge = mutate["patchStrategicMerge"];
  if (isGiven(merge)) return { patchStrategicMerge: wrap(merge) };
  return hasLoops(mutate) ? { foreach: carriedLoops(mutate["foreach"], wrap) } : undefined;
}

/**
 * Kyverno parity: an autogen rule keeps only these fields of an entry, not its order. Pinned by "a mutating loop loses
 * its order". It also keeps nested loops, which Kyverno drops: without its loop the autogen rule would remove the Pod
 * template.
 */
function carriedLoops(written: Json | undefined, wrap: (pattern: Json) => Json): Json[] {
  return asList(written).filter(isObject).map((entry) => {
    const kept = ["list", "context", "preconditions"].filter((name) => Object.hasOwn(entry, name));
    const merge = entry["patchStrategicMerge"];
    return {
      ...Object.fromEntries(kept.map((name) => [name, entry[name]!])),
      ...(merge !== undefined && { patchStrategicMerge: wrap(merge) }),
      ...(hasLoops(entry) && { foreach: carriedLoops(entry["foreach"], wrap) }),
    };
  });
}
