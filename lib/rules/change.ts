import { asBoolean, asList, asString, field, isGiven, isObject, type Json } from "../json/mod.ts";
import { type LoopSpec, parseLoop } from "./loop.ts";

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

/** A change by one patch. */
export interface PatchChange {
  readonly by: "patch";
  readonly patch: PatchSpec;
}

/** Changes the object of the request by one patch. */
export interface PatchBody {
  readonly kind: "patch";
  readonly change: PatchChange;
  /** The author set it by mistake: there are no targets that could be changed when the policy comes into force. */
  readonly onPolicyUpdate: boolean | undefined;
}

/** A change by a patch for each element of some lists. */
export interface LoopChange {
  readonly by: "foreach";
  readonly entries: readonly PatchLoop[];
}

/** The change that a mutating rule makes to an object. */
export type ChangeSpec = PatchChange | LoopChange;

/** Whether a `mutate` section changes existing objects. */
export function hasTargets(mutate: Json): boolean {
  return asList(field(mutate, "targets")).length > 0;
}

/** Whether a `mutate` section, or an entry of its loops, has loops. */
export function hasLoops(mutate: Json): boolean {
  return asList(field(mutate, "foreach")).length > 0;
}

/** Whether existing objects are changed when the policy comes into force; `undefined` where the policy decides. */
export function isOnPolicyUpdate(mutate: Json): boolean | undefined {
  return asBoolean(field(mutate, "mutateExistingOnPolicyUpdate"));
}

/** Parses the patch of a `mutate` section. */
export function patchChange(mutate: Json): PatchChange {
  return { by: "patch", patch: parsePatch(mutate) };
}

/** Parses the loops of a `mutate` section. */
export function loopChange(mutate: Json): LoopChange {
  return { by: "foreach", entries: parseLoops(field(mutate, "foreach")) };
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
    order: asString(entry["order"])?.toLowerCase(),
    patch: parsePatch(entry),
    inner: parseLoops(entry["foreach"]),
  }));
}

/** The names of the context entries in the loops of a change. */
export function namesOfChange(change: ChangeSpec): readonly string[] {
  return change.by === "foreach" ? change.entries.flatMap(namesOfLoop) : [];
}

function namesOfLoop({ context, inner }: PatchLoop): readonly string[] {
  return [...context.map(({ name }) => name), ...inner.flatMap(namesOfLoop)];
}
