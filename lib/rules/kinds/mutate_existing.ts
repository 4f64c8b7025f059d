import { contextShape, parseContext } from "../../context/mod.ts";
import { asList, asString, field, isGiven, isObject, type JsonObject } from "../../json/mod.ts";
import { type FieldNotes, selectorShape } from "../../shape/mod.ts";
import { hasLoops, hasTargets, isOnPolicyUpdate, loopChange, namesOfChange, patchChange } from "../change.ts";
import { compileMutateExisting, type MutateExistingBody, type TargetSpec } from "../mutate_existing.ts";
import type { RuleKind } from "../rule_kind.ts";

/** The descriptions of the fields of `mutate.targets`. */
export const mutateExistingNotes: FieldNotes = {
  "targets": "Objects that exist and are changed in place of the object of the request.",
  "targets.name": "The name of the objects; wildcards are allowed.",
  "targets.selector": "Labels that the objects must have.",
  "mutate.mutateExistingOnPolicyUpdate":
    "Whether objects are changed when the policy is, too. Default false.",
};

/** `mutate.targets`: changes existing objects for the request's object, the trigger. */
export const mutateExisting: RuleKind<MutateExistingBody> = {
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
    change: hasLoops(mutate) ? loopChange(mutate) : patchChange(mutate),
    onPolicyUpdate: isOnPolicyUpdate(mutate),
  }),
  names: ({ targets, change }) => [
    ...targets.flatMap(({ context }) => context).map(({ name }) => name),
    ...namesOfChange(change),
  ],
  type: "mutateExisting",
  name: "targets",
  compile: compileMutateExisting,
};

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
