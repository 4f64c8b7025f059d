import {
  asList,
  type DocumentPath,
  field,
  isFault,
  isGiven,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import type { ObservedPattern } from "../../context/mod.ts";
import { compilePattern, type Pattern, type PatternFailure, type PatternResult } from "../../pattern/mod.ts";
import { type Rendering, resolveReferences, textTemplates } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import { compileMessage, type Message, withStop } from "../message.ts";
import { error, fail, type Outcome, pass, skip } from "../outcome.ts";
import type { RuleInput, RuleKind, RuleTools, SingleBody } from "../rule_kind.ts";
import { parseValidation, type Validation } from "../validation.ts";

/** The object must match the pattern. */
export interface PatternCheck {
  readonly kind: "pattern";
  /** The pattern, with variables and anchors. */
  readonly pattern: Json;
}

/** The object must match one of the patterns. */
export interface AnyPatternCheck {
  readonly kind: "anyPattern";
  /** A list of patterns, with variables and anchors. */
  readonly patterns: Json;
}

/** The descriptions of the fields of `validate.pattern` and `validate.anyPattern`. */
export const patternNotes: FieldNotes = {
  "pattern": "The shape that the object must have: a part of it, with wildcards, operators and anchors.",
  "anyPattern": "Patterns, one of which the object must have.",
};

/** `validate.pattern`: the object must match the pattern. */
export const validatePattern: RuleKind<PatternCheck & Validation> = {
  kind: "pattern",
  section: "validate",
  shape: { pattern: "open" },
  recognises: (validate) => isGiven(field(validate, "pattern")),
  read: (validate) => ({
    kind: "pattern",
    pattern: field(validate, "pattern")!,
    ...parseValidation(validate),
  }),
  carryOver: (validate, wrap) => ({ pattern: wrap(validate["pattern"]!) }),
  type: "validate",
  name: "pattern",
  compile: ({ pattern, message }, tools) => compilePatternBody(pattern, { message, tools }),
};

/** `validate.anyPattern`: the object must match one of the patterns. */
export const validateAnyPattern: RuleKind<AnyPatternCheck & Validation> = {
  kind: "anyPattern",
  section: "validate",
  shape: { anyPattern: "open" },
  recognises: (validate) => isGiven(field(validate, "anyPattern")),
  read: (validate) => ({
    kind: "anyPattern",
    patterns: field(validate, "anyPattern")!,
    ...parseValidation(validate),
  }),
  carryOver: (validate, wrap) => {
    const patterns = asList(validate["anyPattern"]);
    return patterns.length === 0 ? undefined : { anyPattern: patterns.map(wrap) };
  },
  type: "validate",
  name: "anyPattern",
  compile: ({ patterns, message }, tools) => compileAnyPatternBody(patterns, { message, tools }),
};

/** The options that a pattern block takes over from its rule, also inside foreach. */
export interface PatternBodyOptions {
  readonly message: Json | undefined;
  readonly tools: RuleTools;
  /** Returns the value that the pattern is compared with; the request's object when absent. */
  readonly comparedObject?: (input: RuleInput) => JsonObject | undefined;
}

/** Compiles a `pattern`. It has no result for a DELETE, which has no object. */
export function compilePatternBody(written: Json, options: PatternBodyOptions): SingleBody {
  const { tools, comparedObject = objectOf } = options;
  const rule = tools.rule.name;
  const pattern = compileResolved(resolved(written, tools), tools, { name: "pattern", within: [] });
  const message = compileMessage(options.message, tools);
  const passed = pass(`validation rule '${rule}' passed.`);
  return {
    constants: [passed],
    tree: options.comparedObject === undefined ? pattern.tree : undefined,
    run: (input) => {
      const resource = comparedObject(input);
      const found = pattern.check(resource ?? nothing, renderingIn(input), input.context.tracker.steps);
      input.context.tracker.observer?.pattern(observedPattern(found, undefined));
      if (found.status !== "pass" && found.fault !== undefined) {
        return error(`variable substitution failed: ${found.fault.message}`);
      }
      if (resource === undefined) return undefined;
      if (found.status === "pass") return passed;
      if (found.status === "skip") return skip(found.message);
      return patternFailure(found, rule, message.render(input));
    },
  };
}

/** The object that a deletion compares: it has none, so only unresolved variables can make it fail. */
const nothing: Readonly<JsonObject> = {};

/** The record of a comparison, for explanations. */
function observedPattern(found: PatternResult, alternative: number | undefined): ObservedPattern {
  if (found.status === "pass") {
    const nothing = { expected: undefined, actual: undefined, element: undefined };
    return { status: "pass", alternative, message: "", steps: [], ...nothing };
  }
  const { status, message, steps, expected, actual, element } = found;
  return { status, alternative, message, steps, expected, actual, element };
}

function patternFailure(
  found: PatternFailure,
  rule: string,
  message: ReturnType<Message["render"]>,
): Outcome {
  const { path } = found;
  const build = found.status === "fail" ? (text: string) => fail(text, path) : error;
  if (isFault(message)) {
    return build(
      `validation error: variables substitution error in rule ${rule} execution error: ${found.message}`,
    );
  }
  const prefix = message === "" ? "" : `${withStop(message)} `;
  const cause = found.status === "fail" ? `failed at path ${path}` : `execution error: ${found.message}`;
  return build(`validation error: ${prefix}rule ${rule} ${cause}`);
}

/** The most patterns of an `anyPattern` whose outcomes are made at load: there may be thousands. */
const mostConstants = 16;

/** Compiles the patterns of `anyPattern`. */
export function compileAnyPatternBody(written: Json, options: PatternBodyOptions): SingleBody {
  const { tools, comparedObject = objectOf } = options;
  const rule = tools.rule.name;
  const patterns = asList(resolved(written, tools)).map((pattern, index) =>
    compileResolved(pattern, tools, { name: "anyPattern", within: [index] })
  );
  const message = compileMessage(options.message, tools);
  // A variable without a value in any pattern is an error, whatever the other patterns give.
  const inTurn = patterns.every(({ tree }) => tree !== undefined);
  const passedBy = (index: number): Outcome => pass(`validation rule '${rule}' anyPattern[${index}] passed.`);
  const passed = patterns.slice(0, mostConstants).map((_, index) => passedBy(index));
  return {
    constants: passed,
    tree: options.comparedObject === undefined && inTurn ? patterns[0]?.tree : undefined,
    run: (input) => {
      const resource = comparedObject(input);
      const rendering = renderingIn(input);
      const { observer, steps } = input.context.tracker;
      const results: PatternResult[] = [];
      for (const pattern of patterns) {
        const found = pattern.check(resource ?? nothing, rendering, steps);
        results.push(found);
        if (found.status === "pass" && inTurn && observer === undefined) break;
      }
      if (observer !== undefined) {
        results.forEach((found, index) => observer.pattern(observedPattern(found, index)));
      }
      for (const found of results) {
        if (found.status !== "pass" && found.fault !== undefined) {
          return error(`variable substitution failed: ${found.fault.message}`);
        }
      }
      if (resource === undefined) return undefined;
      const index = results.findIndex(({ status }) => status === "pass");
      if (index >= 0) return passed[index] ?? passedBy(index);
      return noneMatched(results, rule, () => message.render(input));
    },
  };
}

/** The outcome of an object that matches none of the patterns: a skip when none of them applies. */
function noneMatched(
  results: readonly PatternResult[],
  rule: string,
  message: () => ReturnType<Message["render"]>,
): Outcome {
  const failures: string[] = [], skips: string[] = [];
  for (const [index, found] of results.entries()) {
    const name = `rule ${rule}[${index}]`;
    if (found.status === "pass") continue;
    if (found.status === "skip") skips.push(`${name} skipped: ${found.message}`);
    else if (found.status === "fail") failures.push(`${name} failed at path ${found.path}`);
    else failures.push(`${name} failed: ${found.message}`);
  }
  return failures.length === 0
    ? skip(skips.join(" "))
    : anyPatternFailure(rule, failures.join(" "), message());
}

function anyPatternFailure(rule: string, failures: string, message: ReturnType<Message["render"]>): Outcome {
  if (isFault(message)) {
    return fail(
      `validation error: variables substitution error in rule ${rule} execution error: ${failures}`,
    );
  }
  return fail(`validation error: ${message === "" ? "" : `${withStop(message)} `}${failures}`);
}

function objectOf(input: RuleInput): JsonObject | undefined {
  return input.operation === "DELETE" ? undefined : input.resource;
}

function renderingIn({ context }: RuleInput): Rendering {
  return { scope: context, environment: context.environment };
}

/** Resolves references inside the pattern at load: they can only lead to the pattern itself. */
function resolved(source: Json, tools: RuleTools): Json {
  const document = resolveReferences(source);
  if (!isFault(document)) return document;
  tools.report({
    severity: "error",
    code: "bad-reference",
    message: document.message,
    path: ["validate", "pattern"],
  });
  return source;
}

/** The field of the rule that holds a pattern. */
interface PatternField {
  readonly name: "pattern" | "anyPattern";
  /** The steps from the field to the pattern. */
  readonly within: DocumentPath;
}

/**
 * Compiles a pattern whose references are resolved. Kyverno parity: it replaces variables in the pattern alone, but
 * `{{ @ }}` still skips two steps, so that in the dialect `current` these are the pattern's. Pinned by "{{@}} of a
 * pattern skips two steps of the pattern in the dialect current".
 */
function compileResolved(source: Json, tools: RuleTools, { name, within }: PatternField): Pattern<Rendering> {
  const skipped = tools.dialect === "current" ? within : ["validate", name];
  const { dynamic, uses } = textTemplates({ field: skipped }, within);
  const pattern = compilePattern<Rendering>(source, { dynamic });
  tools.variables(uses, ["validate", name]);
  if (!isFault(pattern)) return pattern;
  tools.report({
    severity: "error",
    code: "bad-pattern",
    message: pattern.message,
    path: ["validate", name],
  });
  const broken = {
    status: "error",
    path: "",
    message: pattern.message,
    steps: [],
    expected: undefined,
    actual: undefined,
    element: undefined,
    fault: pattern,
  } as const;
  return { tree: undefined, check: () => broken };
}
