import { asList, isGiven, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { contextShape } from "../../context/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import {
  hasLoops,
  hasTargets,
  isOnPolicyUpdate,
  type LoopChange,
  loopChange,
  namesOfChange,
  type PatchBody,
  patchChange,
} from "../change.ts";
import { compileMutation, unchanged } from "../mutation.ts";
import type { CompiledBody, RuleKind, RuleTools } from "../rule_kind.ts";

/** Changes the object of the request by a patch for each element of some lists. */
export interface MutateForeachBody {
  readonly kind: "mutateForeach";
  readonly change: LoopChange;
  /** As in {@link PatchBody}. */
  readonly onPolicyUpdate: boolean | undefined;
}

/** The descriptions of the fields of `mutate` and `mutate.foreach`. */
export const mutateNotes: FieldNotes = {
  "patchStrategicMerge":
    "A part of the object that is merged into it, as `kubectl patch` does; anchors make it conditional.",
  "overlay": "Older form of `patchStrategicMerge`.",
  "patchesJson6902": "A list of JSON patch operations, as a text in YAML.",
  "mutate.foreach": "Changes each element of lists.",
  "order": "`Ascending` or `Descending`: the order in which elements are changed.",
};

/** `mutate` with a patch, which changes the object before it is stored. */
export const mutatePatch: RuleKind<PatchBody> = {
  kind: "patch",
  section: "mutate",
  shape: { patchStrategicMerge: "open", overlay: "open", patchesJson6902: "text" },
  recognises: (mutate) => !hasTargets(mutate) && !hasLoops(mutate),
  read: (mutate) => ({
    kind: "patch",
    change: patchChange(mutate),
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  carryOver: carryOverMutation,
  type: "mutate",
  name: "patch",
  compile,
};

/** `mutate.foreach`: a patch for each element of some lists. */
export const mutateForeach: RuleKind<MutateForeachBody> = {
  kind: "mutateForeach",
  section: "mutate",
  shape: {
    foreach: [{
      list: "text",
      order: new Set(["Ascending", "Descending"]),
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
    change: loopChange(mutate),
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  carryOver: carryOverMutation,
  names: ({ change }) => namesOfChange(change),
  type: "mutate",
  name: "foreach",
  compile,
};

function compile({ change }: PatchBody | MutateForeachBody, tools: RuleTools): CompiledBody {
  const { rule } = tools;
  const mutation = compileMutation(change, tools);
  for (const { rule: earlier, path } of tools.conflicts(rule)) {
    tools.report({
      severity: "warning",
      code: "conflicting-mutation",
      message: `Rule "${rule.name}" writes ${path} differently from rule "${earlier}"; the later one wins`,
      path: ["mutate"],
    });
  }
  return {
    constants: [unchanged],
    ...(mutation.merge && { merge: mutation.merge }),
    run: ({ resource, context }) => resource === undefined ? undefined : mutation.run(resource, context),
  };
}

/** The `mutate` section for pod controllers; `undefined` when it has no merge. */
export function carryOverMutation(
  mutate: JsonObject,
  wrap: (pattern: Json) => Json,
): JsonObject | undefined {
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
