import type { Conditions } from "../../condition/mod.ts";
import { contextShape, type LoopProgress } from "../../context/mod.ts";
import {
  asList,
  field,
  goTypeOf,
  isFault,
  isGiven,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import { observed, ruleConditions } from "../conditions.ts";
import { compileLoop, elementsOf, type Loop, type LoopSpec, parseLoop, stopped } from "../loop.ts";
import { error, type Outcome, pass } from "../outcome.ts";
import type { RuleInput, RuleKind, RuleTools, SingleBody } from "../rule_kind.ts";
import { parseValidation, type Validation } from "../validation.ts";
import { compileDeny, type DenyCheck, parseDeny } from "./deny.ts";
import {
  type AnyPatternCheck,
  compileAnyPatternBody,
  compilePatternBody,
  type PatternBodyOptions,
  type PatternCheck,
} from "./pattern.ts";

/** Each element of some lists must pass a check. */
export interface ForeachCheck {
  readonly kind: "foreach";
  readonly entries: readonly CheckLoop[];
}

/** One entry of `validate.foreach`. */
export interface CheckLoop extends LoopSpec {
  readonly elementScope: boolean | undefined;
  /** `undefined` when the entry checks nothing. */
  readonly check: PatternCheck | AnyPatternCheck | DenyCheck | ForeachCheck | undefined;
}

/** The descriptions of the fields of `validate.foreach`. */
export const foreachNotes: FieldNotes = {
  "validate.foreach": "Validates each element of lists.",
  "elementScope": "Whether a pattern is about the element (true) or the whole object (false).",
};

/** `validate.foreach`: each element of some lists must satisfy a pattern, a deny, or a further foreach. */
export const validateForeach: RuleKind<ForeachCheck & Validation> = {
  kind: "foreach",
  section: "validate",
  shape: {
    foreach: [{
      list: "text",
      elementScope: "flag",
      context: contextShape,
      preconditions: "open",
      pattern: "open",
      anyPattern: "open",
      deny: { conditions: "open" },
      foreach: "open",
    }],
  },
  recognises: (validate) => asList(field(validate, "foreach")).length > 0,
  read: (validate) => ({ ...parseForeach(field(validate, "foreach")), ...parseValidation(validate) }),
  carryOver: (validate) => ({ foreach: validate["foreach"]! }),
  names: ({ entries }) => entries.flatMap(namesOfLoop),
  type: "validate",
  name: "foreach",
  compile: (body, tools) => compileForeach(body, { message: body.message, tools, scopes: [] }),
};

function namesOfLoop({ context, check }: CheckLoop): readonly string[] {
  const inner = check?.kind === "foreach" ? check.entries.flatMap(namesOfLoop) : [];
  return [...context.map(({ name }) => name), ...inner];
}

function parseForeach(written: Json | undefined): ForeachCheck {
  const entries = asList(written).filter(isObject).map((entry): CheckLoop => ({
    ...parseLoop(entry),
    elementScope: typeof entry["elementScope"] === "boolean" ? entry["elementScope"] : undefined,
    check: parseCheck(entry),
  }));
  return { kind: "foreach", entries };
}

function parseCheck(entry: JsonObject): CheckLoop["check"] {
  if (isObject(entry["deny"])) return parseDeny(entry["deny"]);
  if (isGiven(entry["pattern"])) return { kind: "pattern", pattern: entry["pattern"] };
  if (isGiven(entry["anyPattern"])) return { kind: "anyPattern", patterns: entry["anyPattern"] };
  const inner = parseForeach(entry["foreach"]);
  return inner.entries.length > 0 ? inner : undefined;
}

interface ForeachOptions extends Validation {
  readonly tools: RuleTools;
  /** The `elementScope` of the loops around this one, the outermost first. */
  readonly scopes: readonly Scope[];
}

/** A loop's `elementScope`. */
type Scope = boolean | undefined;

interface Entry {
  readonly loop: Loop;
  readonly elementScope: boolean | undefined;
  readonly preconditions: Conditions | undefined;
  readonly body: SingleBody | undefined;
  /** Whether the body has nested loops. */
  readonly nests: boolean;
}

function compileForeach(foreach: ForeachCheck, options: ForeachOptions): SingleBody {
  const entries = foreach.entries.map((entry) => compileEntryBody(entry, options));
  const passed = pass("rule passed");
  return {
    constants: [passed],
    run: (input) => {
      let applied = 0;
      let listFault: string | undefined;
      const { tracker } = input.context;
      for (const entry of entries) {
        const progress = tracker.loop(() => 0);
        const elements = elementsOf(entry.loop, progress, input.context);
        if (isFault(elements)) {
          // Kyverno parity: a list that is absent passes, a list that cannot be computed is an error. Pinned
          // by "a foreach rule over a missing list has no result" and "a foreach rule over a list
          // that cannot be computed is an error". A context entry that lacks a field is absent, too. Pinned by
          // "a foreach rule over an entry that reads a missing field has no result".
          const { message } = elements;
          if (!message.endsWith(" in path") || !message.includes("Unknown key ")) listFault = message;
          continue;
        }
        const found = runElements(entry, { elements, progress }, input);
        if (typeof found !== "number") return found;
        applied += found;
      }
      if (applied > 0) return passed;
      return listFault === undefined ? undefined : error(`failed to evaluate list: ${listFault}`);
    },
  };
}

/** One run through the elements of a list. */
interface Run {
  readonly elements: readonly Json[];
  /** The loop's progress; its state is the number of elements that the entry applied to. */
  readonly progress: LoopProgress<number>;
}

/** Runs the elements. Returns how many elements the entry applied to, or the outcome that ends the rule. */
function runElements(entry: Entry, { elements, progress }: Run, input: RuleInput): Outcome | number {
  const { tracker } = input.context;
  const first = progress.done;
  let applied = progress.state;
  for (let index = first; index < elements.length; index++) {
    if (index > progress.done && tracker.isComplete) progress.advanceTo(index, applied);
    const element = elements[index]!;
    const goAhead = tracker.beforeElement(index > first);
    if (goAhead !== "go") return error(stopped(goAhead));
    const iteration = entry.loop.enter(input.context, element, index);
    if (iteration === undefined) continue;
    if (entry.elementScope === true && !isObject(element)) {
      return error(
        `failed to process foreach: cannot use elementScope=true foreach rules for elements that are not maps, expected type=map got type=${
          goTypeOf(element)
        }`,
      );
    }
    const inner = { ...input, context: iteration.context };
    const outcome = entry.nests
      ? tracker.inside(progress, () => runElement(entry, inner))
      : runElement(entry, inner);
    if (outcome === undefined || outcome.result === "skip") continue;
    if (outcome.result !== "pass") return { ...outcome, message: `validation failure: ${outcome.message}` };
    applied++;
  }
  return applied;
}

function runElement({ preconditions, body }: Entry, input: RuleInput): Outcome | undefined {
  if (preconditions !== undefined) {
    const { context } = input;
    const verdict = preconditions.evaluate(context, context.environment, observed("foreach", context));
    // Kyverno parity: an element whose preconditions cannot be evaluated is skipped. Pinned by "an element
    // whose preconditions cannot be evaluated is skipped".
    if (isFault(verdict) || !verdict.holds) return undefined;
  }
  return body?.run(input);
}

function compileEntryBody(entry: CheckLoop, { message, tools, scopes: around }: ForeachOptions): Entry {
  const { elementScope, check } = entry;
  const scopes = [...around, elementScope];
  const path = ["validate", "foreach"];
  const preconditions = entry.preconditions === undefined
    ? undefined
    : ruleConditions(entry.preconditions, tools, [...path, "preconditions"]);
  return {
    loop: compileLoop(entry, { nesting: around.length, path }, tools),
    elementScope,
    preconditions,
    body: compileBody(),
    nests: check?.kind === "foreach",
  };

  function compileBody(): SingleBody | undefined {
    const options: PatternBodyOptions = {
      message,
      tools,
      comparedObject: (input) => elementOf(input, scopes),
    };
    switch (check?.kind) {
      case "deny":
        return compileDeny(check, message, { tools, path });
      case "pattern":
        return compilePatternBody(check.pattern, options);
      case "anyPattern":
        return compileAnyPatternBody(check.patterns, options);
      case "foreach":
        return compileForeach(check, { message, tools, scopes });
    }
    tools.report({
      severity: "error",
      code: "empty-foreach",
      message: "A foreach entry needs pattern, anyPattern, deny or foreach",
      path: ["validate", "foreach"],
    });
    return undefined;
  }
}

/**
 * Kyverno parity: the pattern is compared with an element that is an object, unless `elementScope` is false; else with
 * what a pattern of the loop around it is compared with. Pinned by "the pattern of a foreach rule is compared with an
 * element that is an object" and "without a scope of its own, the pattern of a nested loop is compared as one of the
 * loop around it". An empty object is an object. Pinned by "the pattern of a foreach rule is compared with an element
 * that is an empty object".
 */
function elementOf(input: RuleInput, scopes: readonly Scope[]): JsonObject | undefined {
  for (let nesting = scopes.length - 1; nesting >= 0; nesting--) {
    const element = input.context.get(`element${nesting}`);
    if (scopes[nesting] !== false && isObject(element)) return element;
  }
  return input.operation === "DELETE" ? undefined : input.resource;
}
