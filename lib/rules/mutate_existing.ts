import type { Conditions } from "../condition/mod.ts";
import { type Context, type ContextEntry, type EntrySpec, kindNeed, type Need } from "../context/mod.ts";
import { asObject, Fault, isFault, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import { builtinKind, compileWildcard, hasWildcard, nameOf, namespaceOf, uidOf } from "../kube/mod.ts";
import { compileTemplate, hasVariables } from "../template/mod.ts";
import type { ChangeSpec } from "./change.ts";
import { ruleConditions } from "./conditions.ts";
import { compileContext } from "./loop.ts";
import { compileMutation, type Mutation } from "./mutation.ts";
import { type Effect, error, listed, type Outcome, skip, type WrittenSubresource } from "./outcome.ts";
import type { CompiledBody, RuleTools } from "./rule_kind.ts";
import {
  type ClusterObjects,
  describe,
  type KindReference,
  namespaceViolation,
  objectsInCluster,
} from "./cluster_objects.ts";
import { isOneKind, targetKinds } from "./target_kinds.ts";

/** Changes existing objects for the request's object, the trigger. */
export interface MutateExistingBody {
  readonly kind: "mutateExisting";
  readonly targets: readonly TargetSpec[];
  readonly change: ChangeSpec;
  /** Whether existing objects are changed when the policy comes into force; `undefined` where the policy decides. */
  readonly onPolicyUpdate: boolean | undefined;
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

/**
 * Compiles a rule that changes existing objects for a trigger. It plans an update of each target, with one outcome a
 * target; `lib/background` carries the updates out.
 */
export function compileMutateExisting(body: MutateExistingBody, tools: RuleTools): CompiledBody {
  const targets = body.targets.map((target, index) => compileTarget(target, index, tools));
  const mutation = compileMutation(body.change, tools);
  return {
    appliesToExisting: body.onPolicyUpdate ?? tools.policy.mutateExistingOnPolicyUpdate,
    run({ context, resource, oldResource }) {
      const clusterObjects = objectsInCluster(context.tracker);
      const setting = { context, mutation, tools, trigger: resource ?? oldResource ?? {} };
      const outcomes: Outcome[] = [], failures: (Missing | Fault)[] = [];
      for (const target of targets) {
        const found = target.find(context, clusterObjects);
        if (isFault(found) || "missing" in found) failures.push(found);
        else for (const part of found) outcomes.push(changePart(part, target, setting));
      }
      return listed([...notFound(failures), ...outcomes]);
    },
  };
}

/**
 * The outcome for targets that were not found; none when all were. Kyverno parity: its message begins with a colon.
 * Pinned by tests/rules/mutate_existing_test.ts.
 */
function notFound(failures: readonly (Missing | Fault)[]): readonly Outcome[] {
  if (failures.length === 0) return [];
  const outcome = error(
    `: ${failures.map((each) => isFault(each) ? each.message : each.missing).join("; ")}`,
  );
  return [failures.some(isFault) ? outcome : { ...outcome, meaning: "targetMissing" }];
}

/** The rule and the trigger for which targets are changed. */
interface ChangeSetting {
  readonly context: Context;
  readonly mutation: Mutation;
  readonly tools: RuleTools;
  readonly trigger: JsonObject;
}

/** Plans the update of a target. */
function changePart({ object, subresource }: Part, target: Target, setting: ChangeSetting): Outcome {
  const { tools: { policy, rule }, trigger } = setting;
  const outcome = mutateTarget(object, target, setting);
  // The error is not `objectLost`: the following rules read the request's object, not the target.
  if (outcome.result === "error") return error(outcome.message);
  if (outcome.result !== "pass" || outcome.patched === undefined) return outcome;
  const { patched, ...rest } = outcome;
  const outside = namespaceViolation([patched], policy);
  if (outside !== undefined) return error(outside.message);
  const effect: Effect = {
    verb: "update",
    object: patched,
    ...(subresource !== undefined && { subresource }),
    policy: policy.key,
    rule: rule.name,
    reason: `${describe(patched)} is a target of the rule for ${describe(trigger)}`,
  };
  return { ...rest, effects: [effect] };
}

/** The missing object of a target that is named in full, in the cluster's words. */
interface Missing {
  readonly missing: string;
}

/** A target object, or a subresource of it. */
interface Part {
  readonly object: JsonObject;
  readonly subresource: WrittenSubresource | undefined;
}

/** One entry of `mutate.targets`, compiled. */
interface Target {
  readonly entries: readonly ContextEntry[];
  readonly preconditions: Conditions | undefined;
  find(context: Context, clusterObjects: ClusterObjects): readonly Part[] | Missing | Fault;
}

function compileTarget(target: TargetSpec, index: number, tools: RuleTools): Target {
  const path = ["mutate", "targets", index];
  const { policy } = tools;
  if (target.kind === "") {
    tools.report({ severity: "error", code: "missing-kind", message: "A target needs a kind", path });
  }
  const template = compileTemplate({
    apiVersion: target.apiVersion,
    kind: target.kind,
    name: target.name,
    namespace: target.namespace,
    selector: target.selector ?? null,
  });
  tools.variables(template.uses, path);
  for (const need of targetNeeds(target, policy.namespace)) tools.need(need);
  const { preconditions } = target;
  return {
    entries: compileContext(target.context, tools, path),
    preconditions: preconditions === undefined
      ? undefined
      : ruleConditions(preconditions, tools, [...path, "preconditions"]),
    find(context, clusterObjects) {
      const rendered = template.render(context, context.environment);
      return isFault(rendered)
        ? new Fault(`failed to substitute variables in target[${index}]: ${rendered.message}`)
        : findParts(rendered, { policy, tracker: context.tracker, clusterObjects });
    },
  };
}

/** The policy of a target, and the ports with which its objects are found. */
interface TargetSetting extends Pick<RuleTools, "policy"> {
  readonly tracker: Context["tracker"];
  readonly clusterObjects: ClusterObjects;
}

/**
 * Finds the objects of a target whose variables are replaced, of all its kinds at the same time. Kyverno parity: a
 * Policy finds only the targets in its namespace, whatever the target says. Pinned by "a Policy finds targets only in
 * its namespace" and tests/background/namespaced_policies_test.ts.
 */
function findParts(
  target: Json,
  { policy, tracker, clusterObjects }: TargetSetting,
): readonly Part[] | Missing | Fault {
  const namespace = policy.namespace ?? textField(target, "namespace");
  const [kind = "", subresource = ""] = textField(target, "kind").split(/[/.]/, 2);
  const kinds = targetKinds(tracker, { apiVersion: textField(target, "apiVersion"), kind, subresource });
  if (isFault(kinds)) return kinds;
  const name = textField(target, "name");
  const selector = isObject(target) ? asObject(target["selector"]) : undefined;
  const found = kinds.map((type) => ({
    type,
    objects: findTargets(clusterObjects, { type, namespace, name, selector }),
  }));
  return partsOf(found, policy);
}

/** The objects of a kind that fit a target. */
interface Found {
  readonly type: KindReference;
  readonly objects: readonly JsonObject[] | Missing | Fault;
}

/** The objects of all kinds, or their subresources; an object may be served in several groups. */
function partsOf(found: readonly Found[], policy: RuleTools["policy"]): readonly Part[] | Missing | Fault {
  const parts = new Map<string | Part, Part>();
  for (const { type: { subresource: name = "", ...type }, objects } of found) {
    if (isFault(objects) || "missing" in objects) return objects;
    const outside = namespaceViolation(objects, policy);
    if (outside !== undefined) return outside;
    for (const object of objects) {
      const part = { object, subresource: name === "" ? undefined : { ...type, name } };
      const uid = uidOf(object);
      parts.set(uid === "" ? part : `${uid} ${name}`, part);
    }
  }
  return [...parts.values()];
}

/** The rights to read and change the targets. Only whole objects are listed. */
function targetNeeds(
  { apiVersion, kind, namespace, name }: TargetSpec,
  only: string | undefined,
): readonly Need[] {
  const [whole = "", subresource] = kind.split(/[/.]/, 2);
  const isOne = isOneKind({ apiVersion, kind: whole, ...(subresource !== undefined && { subresource }) });
  if (hasVariables(apiVersion + kind) || hasWildcard(kind) || !isOne && builtinKind(whole) === undefined) {
    return [{ kind: "unknown", what: "what kind of objects it changes" }];
  }
  const type = { apiVersion: isOne ? apiVersion : "", kind: whole };
  if (subresource === undefined) return [kindNeed(type, ["get", "list", "patch", "update"])];
  const need = kindNeed({ ...type, subresource }, ["get", "patch", "update"]);
  const isNamed = [only ?? namespace, name].every((text) => text !== "" && !hasWildcard(text));
  return isNamed ? [need] : [need, kindNeed(type, ["list"])];
}

interface Wanted {
  readonly type: KindReference;
  /** Both may have wildcards. */
  readonly namespace: string;
  readonly name: string;
  readonly selector: JsonObject | undefined;
}

/**
 * Kyverno parity: one object that is named in full must exist, and its labels are not compared; otherwise all
 * objects that fit are targets, even if there are none. Pinned by "that must be there" and "that are none".
 */
function findTargets(
  clusterObjects: ClusterObjects,
  { type, namespace, name, selector }: Wanted,
): readonly JsonObject[] | Missing | Fault {
  const everywhere = namespace === "" || hasWildcard(namespace);
  if (!everywhere && name !== "" && !hasWildcard(name)) return one(name, namespace);
  const { apiVersion, kind } = type;
  const listed = clusterObjects.list({
    apiVersion,
    kind,
    namespace: everywhere ? "" : namespace,
    ...(selector !== undefined && { selector }),
  });
  if (isFault(listed)) return listed;
  const inNamespace = compileWildcard(namespace === "" ? "*" : namespace);
  const isNamed = compileWildcard(name === "" ? "*" : name);
  const fitting = listed.filter((object) => inNamespace(namespaceOf(object)) && isNamed(nameOf(object)));
  if ((type.subresource ?? "") === "") return fitting;
  // All parts are loaded at the same time.
  const parts = fitting.map((object) => one(nameOf(object), namespaceOf(object)));
  const fault = parts.find(isFault);
  if (fault !== undefined) return fault;
  // An object may be deleted before its part is read. When all parts are missing, the kind has none.
  const found = parts.flatMap((part) => isFault(part) || "missing" in part ? [] : part);
  const missing = parts.find((part): part is Missing => !isFault(part) && "missing" in part);
  return found.length === 0 && missing !== undefined ? missing : found;

  function one(name: string, namespace: string): readonly JsonObject[] | Missing | Fault {
    const lookup = clusterObjects.get({ ...type, namespace, name });
    return isFault(lookup) || "missing" in lookup ? lookup : [lookup.object];
  }
}

function mutateTarget(
  object: JsonObject,
  { entries, preconditions }: Target,
  { context, mutation }: { readonly context: Context; readonly mutation: Mutation },
): Outcome {
  const named = context.child({ values: { target: object } });
  const inner = entries.length === 0 ? named : named.child({ entries });
  if (preconditions !== undefined) {
    const verdict = preconditions.evaluate(inner, inner.environment);
    if (isFault(verdict)) return error(`failed to evaluate preconditions: ${verdict.message}`);
    if (!verdict.holds) {
      return skip(["preconditions not met", verdict.message].filter((part) => part !== "").join("; "));
    }
  }
  return mutation.run(object, inner);
}
