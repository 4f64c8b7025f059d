import type { Conditions } from "../condition/mod.ts";
import type { Context } from "../context/mod.ts";
import { asString, equal, Fault, field, isFault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { Draft } from "../patch/mod.ts";
import type { ChangeSpec, PatchLoop, PatchSpec } from "../policy/mod.ts";
import { observed, ruleConditions } from "./conditions.ts";
import { compileLoop, type Loop, type LoopPlace } from "./loop.ts";
import { error, type Outcome, skip } from "./outcome.ts";
import { compilePatcher, type Patcher } from "./patcher.ts";
import type { RuleTools } from "./rule_kind.ts";

/** What a mutate rule does to one object, compiled: the same for the object of a request and for targets. */
export interface Mutation {
  /** Passes with the changed object, skips when nothing changes, errs when the patch fails; never changes its input. */
  run(resource: JsonObject, context: Context): Outcome;
  /** Of a merge without variables: the same for a draft. */
  readonly merge?: (draft: Draft) => Outcome;
}

/** The outcome of a patch that changes nothing. */
export const unchanged: Outcome = skip("no patches applied");

/** Compiles `mutate` with a patch or with foreach; one that has neither is reported and always errs. */
export function compileMutation(change: ChangeSpec, tools: RuleTools): Mutation {
  return change.by === "foreach" ? compileForeach(change.entries, tools) : compilePatch(change.patch, tools);
}

function compilePatch(patch: PatchSpec, tools: RuleTools): Mutation {
  const patcher = compilePatcher(patch, tools, { path: ["mutate"], place: ["mutate"] });
  if (patcher === undefined) {
    tools.report({
      severity: "error",
      code: "empty-mutate",
      message: "A mutate rule needs a patch or foreach",
      path: ["mutate"],
    });
    return { run: () => error("empty mutate rule") };
  }
  const { merge } = patcher;
  return {
    run(resource, context) {
      const patched = patcher.apply(resource, context);
      if (isFault(patched)) return spoiled(patched);
      return patched === resource ? unchanged : mutated(patched);
    },
    ...(merge && { merge: (draft) => mergeOutcome(merge(draft), draft) }),
  };
}

function mergeOutcome(changed: boolean | Fault, { resource }: Draft): Outcome {
  if (isFault(changed)) return spoiled(changed);
  return changed ? mutated(resource) : unchanged;
}

function compileForeach(entries: readonly PatchLoop[], tools: RuleTools): Mutation {
  const loops = compileLoops(entries, { nesting: 0, path: ["mutate"] }, tools);
  return {
    run(resource, context) {
      const result = runLoops(loops, resource, context);
      if (isFault(result)) return spoiled(result);
      return result.applied === 0 ? skip("0 elements processed") : mutated(result.resource);
    },
  };
}

/** The outcome of a mutation that changed the object. */
function mutated(patched: JsonObject): Outcome {
  const metadata = field(patched, "metadata");
  const namespace = asString(field(metadata, "namespace")) ?? "",
    name = asString(field(metadata, "name")) ?? "";
  const message = `mutated ${asString(patched["kind"]) ?? ""}/${name}`;
  return {
    result: "pass",
    message: namespace === "" ? message : `${message} in namespace ${namespace}`,
    patched,
  };
}

/** Kyverno parity: a patch that fails leaves no object behind. */
function spoiled(cause: Fault): Outcome {
  return { ...error(cause.message), spoils: true };
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  return before === after || equal(before, after);
}

/** One entry of `mutate.foreach`. */
interface LoopPlan {
  readonly loop: Loop;
  readonly descending: boolean;
  readonly preconditions: Conditions | undefined;
  readonly patcher: Patcher | undefined;
  readonly inner: readonly LoopPlan[];
}

function compileLoops(
  entries: readonly PatchLoop[],
  { nesting, path: above }: LoopPlace,
  tools: RuleTools,
): LoopPlan[] {
  return entries.map((entry, index): LoopPlan => {
    const path = [...above, "foreach", index];
    const { order, patch, preconditions } = entry;
    return {
      loop: compileLoop(entry, { nesting, path }, tools),
      // Kyverno parity: merges put new elements first, so going backwards keeps their order.
      descending: order === undefined ? patch.form === "merge" : order === "Descending",
      preconditions: preconditions === undefined
        ? undefined
        : ruleConditions(preconditions, tools, [...path, "preconditions"]),
      patcher: compilePatcher(patch, tools, { path, place: [] }),
      inner: compileLoops(entry.inner, { nesting: nesting + 1, path }, tools),
    };
  });
}

interface Progress {
  readonly resource: JsonObject;
  /** Entries that changed something. */
  readonly applied: number;
}

/** Runs entries in order; after each the context shows the object as it then is. */
function runLoops(plans: readonly LoopPlan[], start: JsonObject, outer: Context): Progress | Fault {
  let resource = start;
  let context = outer;
  let applied = 0;
  for (const plan of plans) {
    const elements = plan.loop.elements(context);
    if (isFault(elements)) {
      return new Fault(
        `failed to evaluate list ${plan.loop.list}: ${elements.message}: ${elements.message}`,
        elements.missing,
      );
    }
    const patched = runElements(plan, { elements, resource, context });
    if (isFault(patched)) return new Fault(`failed to mutate elements: ${patched.message}`);
    if (isSame(resource, patched)) continue;
    applied++;
    resource = patched;
    context = withObject(context, resource);
  }
  return { resource, applied };
}

/** The elements of one entry: patches add up on the object, while the context keeps showing it as it was. */
function runElements(
  plan: LoopPlan,
  { elements, resource, context }: { elements: readonly Json[]; resource: JsonObject; context: Context },
): JsonObject | Fault {
  const indexes = elements.map((_, index) => index);
  let patched = resource;
  for (const index of plan.descending ? indexes.reverse() : indexes) {
    if (index % 64 === 63 && context.store.expired) {
      return new Fault("the request's deadline passed inside foreach");
    }
    const iteration = plan.loop.enter(context, elements[index]!, index);
    if (iteration === undefined) continue;
    if (plan.preconditions !== undefined) {
      const { context: inner } = iteration;
      const verdict = plan.preconditions.evaluate(inner, inner.environment, observed("foreach", inner));
      if (isFault(verdict)) {
        return new Fault(`failed to evaluate mutate.foreach[${index}].preconditions: ${verdict.message}`);
      }
      if (!verdict.holds) continue;
    }
    const next = runBody(plan, patched, iteration.context);
    if (isFault(next)) return next;
    patched = next;
  }
  return patched;
}

function runBody({ patcher, inner }: LoopPlan, resource: JsonObject, context: Context): JsonObject | Fault {
  if (inner.length > 0) {
    const result = runLoops(inner, resource, context);
    return isFault(result) ? result : result.resource;
  }
  return patcher === undefined ? new Fault("empty mutate rule") : patcher.apply(resource, context);
}

function withObject(context: Context, object: JsonObject): Context {
  const request = context.get("request");
  return isObject(request) ? context.child({ values: { request: { ...request, object } } }) : context;
}
