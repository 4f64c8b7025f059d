import type { Conditions } from "../condition/mod.ts";
import type { Context, LoopProgress } from "../context/mod.ts";
import {
  asString,
  equal,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { Draft } from "../patch/mod.ts";
import type { ChangeSpec, PatchLoop, PatchSpec } from "./change.ts";
import { observed, ruleConditions } from "./conditions.ts";
import { compileLoop, elementsOf, type Loop, type LoopPosition, stopped } from "./loop.ts";
import { error, type Outcome, skip } from "./outcome.ts";
import { compilePatcher, type Patcher } from "./patcher.ts";
import type { RuleTools } from "./rule_kind.ts";

/** A compiled mutation of one object. The rule uses it for the object of a request and for targets. */
export interface Mutation {
  /**
   * Returns a pass with the changed object, a skip when nothing changes, or an error when the patch fails. It never
   * changes its input.
   */
  run(resource: JsonObject, context: Context): Outcome;
  /** The same for a draft; only for merges without variables. */
  readonly merge?: (draft: Draft) => Outcome;
}

/** The outcome of a patch that changes nothing. */
export const unchanged: Outcome = skip("no patches applied");

/** Compiles `mutate` with a patch or with foreach. A mutation that has neither is reported, and is always an error. */
export function compileMutation(change: ChangeSpec, tools: RuleTools): Mutation {
  return change.by === "foreach" ? compileForeach(change.entries, tools) : compilePatch(change.patch, tools);
}

function compilePatch(patch: PatchSpec, tools: RuleTools): Mutation {
  const patcher = compilePatcher(patch, tools, { path: ["mutate"], shownPath: ["mutate"] });
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
      if (isFault(patched)) return objectLost(patched);
      return patched === resource ? unchanged : mutated(patched);
    },
    ...(merge && { merge: (draft) => mergeOutcome(merge(draft), draft) }),
  };
}

function mergeOutcome(changed: boolean | Fault, draft: Draft): Outcome {
  if (isFault(changed)) return objectLost(changed);
  return changed ? mutated(draft.shown) : unchanged;
}

function compileForeach(entries: readonly PatchLoop[], tools: RuleTools): Mutation {
  const loops = compileLoops(entries, { nesting: 0, path: ["mutate"] }, tools);
  return {
    run(resource, context) {
      const result = runLoops(loops, resource, context);
      if (isFault(result)) return objectLost(result);
      return result.applied === 0 ? skip("0 elements processed") : mutated(result.resource);
    },
  };
}

/** The outcome of a mutation that changed the object. */
function mutated(patched: JsonObject): Outcome {
  const metadata = field(patched, "metadata");
  const namespace = textField(metadata, "namespace"),
    name = textField(metadata, "name");
  const message = `mutated ${asString(patched["kind"]) ?? ""}/${name}`;
  return {
    result: "pass",
    message: namespace === "" ? message : `${message} in namespace ${namespace}`,
    patched,
  };
}

/**
 * Kyverno parity: after a patch that failed, the rules after it find no object. Pinned by "after a mutation
 * that failed the following rules of the policy find no object".
 */
function objectLost(cause: Fault): Outcome {
  return { ...error(cause.message), meaning: "objectLost" };
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
  { nesting, path: above }: LoopPosition,
  tools: RuleTools,
): LoopPlan[] {
  return entries.map((entry, index): LoopPlan => {
    const path = [...above, "foreach", index];
    const { order, patch, preconditions } = entry;
    return {
      loop: compileLoop(entry, { nesting, path }, tools),
      // Kyverno parity: merges put new elements first, so going backwards keeps their order. Pinned by
      // "merges of a foreach rule go backwards, so that new elements keep their order".
      descending: order === undefined ? patch.form === "merge" : order === "descending",
      preconditions: preconditions === undefined
        ? undefined
        : ruleConditions(preconditions, tools, [...path, "preconditions"]),
      patcher: compilePatcher(patch, tools, { path, shownPath: [] }),
      inner: compileLoops(entry.inner, { nesting: nesting + 1, path }, tools),
    };
  });
}

/** The result of running loops. */
interface Result {
  readonly resource: JsonObject;
  /** The number of entries that changed something. */
  readonly applied: number;
}

/** Runs the entries in order. The context shows each the object that the one before left. */
function runLoops(plans: readonly LoopPlan[], start: JsonObject, outer: Context): Result | Fault {
  let resource = start;
  let context = outer;
  let applied = 0;
  for (const plan of plans) {
    const before = resource;
    const progress = context.tracker.loop(() => new Draft(before));
    const fault = runElements(plan, progress, context);
    if (fault !== undefined) return fault;
    // The draft writes no more, and its list of the objects that it may write into is long.
    if (context.tracker.isComplete) progress.state.publish();
    const { resource: patched } = progress.state;
    if (patched === before || equal(patched, before)) continue;
    applied++;
    resource = patched;
    context = withObject(context, resource);
  }
  return { resource, applied };
}

/**
 * Runs the entries of a loop inside a loop. Each entry sees the changes of those before, so the draft must be forked
 * between them.
 */
function runInnerLoops(plans: readonly LoopPlan[], draft: Draft, outer: Context): Fault | undefined {
  let context = outer;
  for (const plan of plans) {
    const fault = runElements(plan, context.tracker.loop(() => draft), context);
    if (fault !== undefined || plans.length === 1) return fault;
    draft.publish();
    context = withObject(context, draft.resource);
  }
  return undefined;
}

/** Runs the elements of one entry. Patches add up on the draft, while the context keeps showing the original object. */
function runElements(plan: LoopPlan, progress: LoopProgress<Draft>, context: Context): Fault | undefined {
  const { tracker } = context;
  const elements = elementsOf(plan.loop, progress, context);
  if (isFault(elements)) {
    return new Fault(
      `failed to evaluate list ${plan.loop.list}: ${elements.message}: ${elements.message}`,
      elements.missing,
    );
  }
  const { length } = elements;
  const first = progress.done;
  let draft = progress.state;
  for (let step = first; step < length; step++) {
    if (!tracker.isComplete) {
      // The evaluation is void and continues only to find further loads, so it works on a fork of the progress.
      if (draft === progress.state) draft = draft.fork();
    } else if (step > progress.done) progress.advanceTo(step, draft);
    const goAhead = tracker.beforeElement(step > first);
    const fault = goAhead === "go"
      ? runElement(plan, { elements, draft, progress, context }, plan.descending ? length - 1 - step : step)
      : new Fault(stopped(goAhead));
    if (fault !== undefined) return new Fault(`failed to mutate elements: ${fault.message}`);
  }
  if (tracker.isComplete) progress.advanceTo(length, draft);
  return undefined;
}

/** The state with which an element is mutated. */
interface Step {
  readonly elements: readonly Json[];
  readonly draft: Draft;
  readonly progress: LoopProgress<Draft>;
  readonly context: Context;
}

function runElement(
  { loop, preconditions, patcher, inner }: LoopPlan,
  { elements, draft, progress, context: outer }: Step,
  index: number,
): Fault | undefined {
  const iteration = loop.enter(outer, elements[index]!, index);
  if (iteration === undefined) return undefined;
  const { context } = iteration;
  if (preconditions !== undefined) {
    const verdict = preconditions.evaluate(context, context.environment, observed("foreach", context));
    if (isFault(verdict)) {
      return new Fault(`failed to evaluate mutate.foreach[${index}].preconditions: ${verdict.message}`);
    }
    if (!verdict.holds) return undefined;
  }
  const { tracker } = context;
  const target = tracker.isComplete ? draft : draft.fork();
  if (inner.length > 0) return tracker.inside(progress, () => runInnerLoops(inner, target, context));
  return patcher === undefined ? new Fault("empty mutate rule") : patcher.change(target, context);
}

function withObject(context: Context, object: JsonObject): Context {
  const request = context.get("request");
  return isObject(request) ? context.child({ values: { request: { ...request, object } } }) : context;
}
