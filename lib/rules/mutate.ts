import type { Conditions } from "../condition/mod.ts";
import type { Context } from "../context/mod.ts";
import {
  asList,
  asString,
  dig,
  equal,
  Fault,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { ruleConditions } from "./conditions.ts";
import { compileLoop, type Loop } from "./loop.ts";
import { error, type Outcome, skip } from "./outcome.ts";
import { compilePatcher, type Patcher } from "./patcher.ts";
import type { RuleBody, RuleKind, RuleTools } from "./rule_kind.ts";

/** `mutate` with a patch: the object is changed before it is stored. */
export const mutatePatch: RuleKind = {
  type: "mutate",
  name: "patch",
  recognises: ({ mutate }) =>
    mutate !== undefined && asList(mutate["targets"]).length === 0 && asList(mutate["foreach"]).length === 0,
  compile(rule, tools): RuleBody {
    const patcher = compilePatcher(rule.mutate!, tools, { path: ["mutate"], place: ["mutate"] });
    if (patcher === undefined) {
      tools.report({
        severity: "error",
        code: "empty-mutate",
        message: "A mutate rule needs a patch or foreach",
        path: ["mutate"],
      });
      return { run: () => error("empty mutate rule") };
    }
    return {
      run({ resource, context }) {
        if (resource === undefined) return undefined;
        const patched = patcher.apply(resource, context);
        if (isFault(patched)) return spoiled(patched);
        return isSame(resource, patched) ? skip("no patches applied") : mutated(patched);
      },
    };
  },
};

/** `mutate.foreach`: a patch for each element of some lists. */
export const mutateForeach: RuleKind = {
  type: "mutate",
  name: "foreach",
  recognises: ({ mutate }) =>
    mutate !== undefined && asList(mutate["targets"]).length === 0 && asList(mutate["foreach"]).length > 0,
  compile(rule, tools): RuleBody {
    const loops = compileLoops(asList(rule.mutate!["foreach"]).filter(isObject), 0, tools);
    return {
      run({ resource, context }) {
        if (resource === undefined) return undefined;
        const result = runLoops(loops, resource, context);
        if (isFault(result)) return spoiled(result);
        return result.applied === 0 ? skip("0 elements processed") : mutated(result.resource);
      },
    };
  },
};

/** The outcome of a mutation that changed the object. */
export function mutated(patched: JsonObject): Outcome {
  const namespace = asString(dig(patched, "metadata", "namespace"));
  const name = `${asString(patched["kind"]) ?? ""}/${asString(dig(patched, "metadata", "name")) ?? ""}`;
  const message = namespace ? `mutated ${name} in namespace ${namespace}` : `mutated ${name}`;
  return { result: "pass", message, patched };
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

function compileLoops(entries: readonly JsonObject[], nesting: number, tools: RuleTools): LoopPlan[] {
  return entries.map((entry, index): LoopPlan => {
    const path = ["mutate", "foreach", index];
    const merges = entry["patchStrategicMerge"] !== undefined && entry["patchStrategicMerge"] !== null;
    const order = asString(entry["order"]);
    const preconditions = entry["preconditions"];
    return {
      loop: compileLoop(entry, nesting, tools),
      // Kyverno parity: merges put new elements first, so going backwards keeps their order.
      descending: order === undefined ? merges : order === "Descending",
      preconditions: preconditions === undefined || preconditions === null
        ? undefined
        : ruleConditions(preconditions, tools, [...path, "preconditions"]),
      patcher: compilePatcher(entry, tools, { path, place: [] }),
      inner: compileLoops(asList(entry["foreach"]).filter(isObject), nesting + 1, tools),
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
    const iteration = plan.loop.enter(context, elements[index]!, index);
    if (iteration === undefined) continue;
    if (plan.preconditions !== undefined) {
      const verdict = plan.preconditions.evaluate(iteration.context, iteration.context.environment);
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
