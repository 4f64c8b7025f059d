import {
  asString,
  dig,
  type DocumentPath,
  emptyScope,
  Fault,
  goJson,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  type StepBudget,
} from "../json/mod.ts";
import { fixedEnvironment } from "../jmespath/mod.ts";
import type { Context, LoadTracker } from "../context/mod.ts";
import {
  type Draft,
  type MergeMemory,
  parseJsonPatch,
  type PatchNodes,
  planStrategicMerge,
} from "../patch/mod.ts";
import type { PatchSpec } from "./change.ts";
import { compileTemplate, type Template } from "../template/mod.ts";
import { pathProblems } from "./patch_paths.ts";
import type { RuleTools } from "./rule_kind.ts";

/** A compiled patch of a mutate rule. */
export interface Patcher {
  /** Returns the patched object, the same object when nothing changes, or a fault. */
  apply(resource: JsonObject, context: Context): JsonObject | Fault;
  /** Patches a draft. After a fault the draft must not be used. */
  change(draft: Draft, context: Context): Fault | undefined;
  /** Patches a draft and returns whether it changed; only for merges without variables. */
  readonly merge?: (draft: Draft) => boolean | Fault;
}

/**
 * The position of a patch: its path below the rule, for diagnostics, and its path in the document that messages show.
 */
export interface PatchPosition {
  readonly path: DocumentPath;
  readonly shownPath: readonly string[];
}

/** A patch without variables. */
interface Plan {
  apply(resource: JsonObject, tracker: LoadTracker): Json | Fault;
  change(draft: Draft, steps: StepBudget): Fault | undefined;
  applyTo?(draft: Draft): boolean | Fault;
}

/** A patch as it is written, which may have variables. */
interface PatchTemplate {
  readonly template: Template;
  /** The path of the patch in the rendered template. */
  readonly path: readonly string[];
  readonly plan: (patch: Json) => Plan | Fault;
}

/** Compiles `patchStrategicMerge` or `patchesJson6902`; `undefined` when there is neither. */
export function compilePatcher(
  patch: PatchSpec,
  tools: RuleTools,
  { path, shownPath }: PatchPosition,
): Patcher | undefined {
  if (patch.form === "none") return undefined;
  const isMerge = patch.form === "merge";
  const written = isMerge ? patch.merge : patch.operations;
  const name = isMerge ? "patchStrategicMerge" : "patchesJson6902";
  const document = shownPath.reduceRight<Json>((inner, step) => ({ [step]: inner }), { [name]: written });
  const template = compileTemplate(document);
  tools.variables(template.uses, path.slice(0, path.length - shownPath.length));
  const report = (message: string): void =>
    tools.report({ severity: "error", code: "bad-patch", message, path: [...path, name] });
  if (template.problem !== undefined) report(template.problem.message);
  if (!isMerge) {
    for (const problem of pathProblems(written, [...path, name])) tools.report(problem);
  }
  const nodes: PatchNodes = new WeakMap();
  const plan = isMerge ? (rendered: Json) => planMerge(rendered, nodes) : planOperations;
  const compiled = { template, path: [...shownPath, name], plan };
  return template.constant ? constantPatcher(compiled, report) : variablePatcher(compiled);
}

/** A patch without variables, which is planned once. */
function constantPatcher(
  { template, path, plan: planOf }: PatchTemplate,
  report: (message: string) => void,
): Patcher {
  // The template is rendered although it has no variables, because it may have references and escapes.
  const rendered = template.render(emptyScope, fixedEnvironment);
  const plan = isFault(rendered) ? rendered : planOf(dig(rendered, ...path) ?? null);
  if (isFault(plan)) {
    report(plan.message);
    const broken = failed(plan);
    return { apply: () => broken, change: () => broken };
  }
  const { applyTo } = plan;
  return {
    apply: (resource, context) => applyPlan(plan, resource, context),
    change: (draft, context) => changeDraft(plan, draft, context),
    ...(applyTo && { merge: mergeOf(applyTo) }),
  };
}

/** A patch with variables, which is rendered and planned for each object. */
function variablePatcher({ template, path, plan: planOf }: PatchTemplate): Patcher {
  return {
    apply: (resource, context) => {
      const plan = rendered(context);
      return isFault(plan) ? plan : applyPlan(plan, resource, context);
    },
    change: (draft, context) => {
      const plan = rendered(context);
      return isFault(plan) ? plan : changeDraft(plan, draft, context);
    },
  };

  function rendered(context: Context): Plan | Fault {
    const document = template.render(context, context.environment);
    if (isFault(document)) return new Fault(`variable substitution failed: ${document.message}`);
    const patch = dig(document, ...path) ?? null, { steps } = context.tracker;
    if ((steps.left -= stepsOfReading(patch)) < 0) return failed(tooLongText);
    const plan = context.tracker.countWritten(patch) ?? planOf(patch);
    return isFault(plan) ? failed(plan) : plan;
  }
}

const tooLongText = new Fault("the text of the patch takes too many steps to read");

/** The steps of reading a patch that is a text: five for each character of YAML, and one of JSON. */
function stepsOfReading(patch: Json): number {
  return typeof patch !== "string" ? 0 : patch.startsWith("[") ? patch.length : 5 * patch.length;
}

const newMemory = (): MergeMemory => ({ normalized: undefined });

/** The memory of a request's merges, which take the steps of the rule. */
function memoryOf(tracker: LoadTracker): MergeMemory {
  const memory = tracker.once(newMemory);
  memory.steps = tracker.steps;
  return memory;
}

function planMerge(patch: Json, nodes: PatchNodes): Plan | Fault {
  const plan = planStrategicMerge(patch, nodes);
  if (isFault(plan)) return plan;
  return {
    apply: (resource, tracker) => plan.apply(resource, memoryOf(tracker)),
    change: (draft) => {
      const changed = plan.applyTo(draft);
      return isFault(changed) ? changed : undefined;
    },
    applyTo: plan.applyTo,
  };
}

function planOperations(patch: Json): Plan | Fault {
  const plan = parseJsonPatch(patch);
  if (isFault(plan)) return plan;
  return { apply: (resource, { steps }) => plan.apply(resource, steps), change: plan.change };
}

function changeDraft(plan: Plan, draft: Draft, { tracker }: Context): Fault | undefined {
  const fault = plan.change(draft, tracker.steps);
  if (fault !== undefined) return failed(fault);
  const patched = checkedDraft(draft);
  return isFault(patched) ? patched : undefined;
}

function mergeOf(apply: (draft: Draft) => boolean | Fault): NonNullable<Patcher["merge"]> {
  return (draft) => {
    const changed = apply(draft);
    if (isFault(changed)) return failed(changed);
    const patched = checkedDraft(draft);
    return isFault(patched) ? patched : changed;
  };
}

function applyPlan(plan: Plan, resource: JsonObject, { tracker }: Context): JsonObject | Fault {
  const patched = plan.apply(resource, tracker);
  return isFault(patched) ? failed(patched) : checked(patched);
}

/** The patched document of a draft. Its lists are updated only for the text of a fault. */
function checkedDraft(draft: Draft): JsonObject | Fault {
  return isFault(checked(draft.root)) ? checked(draft.resource) : draft.root;
}

/** The patched object; a fault when the patch removed its kind. */
function checked(patched: Json): JsonObject | Fault {
  if (isObject(patched) && asString(patched["kind"])) return patched;
  return new Fault(
    `failed to unmarshal patched resource: Object 'Kind' is missing in '${goJson(patched)}'`,
  );
}

function failed(cause: Fault): Fault {
  return new Fault(`failed to patch resource: ${cause.message}`);
}
