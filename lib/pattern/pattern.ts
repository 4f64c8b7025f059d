import {
  BoundedCache,
  Fault,
  isFault,
  isString,
  type Json,
  jsonLength,
  type StepBudget,
} from "../json/mod.ts";
import type { ScalarTest } from "./comparison.ts";
import { check } from "./check.ts";
import { type CompiledTree, compileTree, type Dynamic, type PatternTemplate, slowText } from "./compiler.ts";
import { faultFailure, MismatchFailure, type PatternResult } from "./failure.ts";
import { isSkip, pathOf, type PatternMismatch } from "./mismatch.ts";
import type { Filled, Node, Walk } from "./node.ts";
import { type WalkOptions, walkWith } from "./walk.ts";
import { compileScalar, costOfScalar } from "./scalar.ts";

/** The compiled form of a pattern without templates, for {@link joinPatterns}. */
export type PatternTree = Node;

/**
 * A compiled pattern. `S` is the scope in which its templates are evaluated; `void` for a pattern without
 * templates.
 */
export interface Pattern<S> {
  /** Its compiled form, if it has no templates: its check then needs no scope and cannot end in a fault. */
  readonly tree: PatternTree | undefined;
  /** Compares a resource; `undefined` stands for a missing one. Beyond the steps it is an error. */
  check(resource: Json | undefined, scope: S, steps?: StepBudget): PatternResult;
}

/** How to compile a pattern. */
export interface PatternOptions<S> {
  /**
   * Called once for every string and every key at load; those for which it returns a function are evaluated at each
   * check.
   */
  readonly dynamic?: Dynamic<S>;
}

/**
 * Compiles a pattern. It leaves only templates for the request. A check evaluates all templates before it
 * compares the resource, because a fault in one makes the whole pattern an error. It reads a string among their
 * values as a pattern, with operators and wildcards, but never again as a template.
 *
 * @returns the pattern, or a fault when it is nested too deeply
 *
 * ```ts
 * import { compilePattern } from "./pattern.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const pattern = compilePattern({ spec: { containers: [{ image: "!*:latest" }] } });
 * assert.ok(!isFault(pattern));
 * const failure = pattern.check({ spec: { containers: [{ name: "web", image: "nginx:latest" }] } });
 * assert.ok(failure.status === "fail");
 * assert.equal(failure.path, "/spec/containers/0/image/");
 * assert.equal(failure.element, "web");
 * ```
 */
export function compilePattern<S = void>(pattern: Json, options: PatternOptions<S> = {}): Pattern<S> | Fault {
  const compiled = compileTree(pattern, options.dynamic);
  if (isFault(compiled)) return compiled;
  const { node, templates } = compiled;
  if (templates.length > 0) return { tree: undefined, check: templatedCheck(compiled) };
  return { tree: node, check: (resource, _scope, steps) => compare(node, resource, { steps }) };
}

/**
 * Compiles a pattern without templates into a predicate, true when it neither fails nor is skipped.
 *
 * ```ts
 * import { compileMatcher } from "./pattern.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const isWeb = compileMatcher({ "(app)": "web*" });
 * assert.ok(!isFault(isWeb));
 * assert.equal(isWeb({ app: "web-1" }), true);
 * assert.equal(isWeb(undefined), false);
 * ```
 */
export function compileMatcher(pattern: Json): ((resource: Json | undefined) => boolean) | Fault {
  const compiled = compileTree(pattern, undefined);
  if (isFault(compiled)) return compiled;
  const { node } = compiled;
  return (resource) => check(node, resource, walkWith({})) === undefined;
}

const passed: PatternResult = { status: "pass" };

function compare(node: Node, resource: Json | undefined, options: WalkOptions): PatternResult {
  const walk = walkWith(options);
  const found = check(node, resource, walk);
  return found === undefined ? passed : new MismatchFailure(statusOf(found, walk), found, resource);
}

function statusOf(found: PatternMismatch, walk: Walk): "fail" | "skip" | "error" {
  if (isSkip(found)) return "skip";
  if (found.reason === "forbidden") return "fail";
  if (walk.steps.left < 0) return "error";
  // Kyverno parity: when the resource lacks an anchored key, a failure has no path and is an error. Pinned by "an
  // anchored key found in no element makes a failure an error".
  // Iterators of Node 20 do not have methods.
  const incomplete = [...walk.presence?.values() ?? []].includes(false);
  return incomplete || pathOf(found) === "" ? "error" : "fail";
}

/**
 * The characters of the strings that a pattern keeps compiled, half a megabyte at most: `a|b|c` of a request is three
 * tests.
 */
const maxCached = 2_048;

/** The characters that a short string counts as, because of its compiled form. */
const charactersOfString = 8;

/** The longest text that a template may put into a pattern, because the request compiles it. */
const maxFilledLength = 128 * 1024;

function templatedCheck<S>({ node, templates }: CompiledTree<S>): Pattern<S>["check"] {
  const tests = new BoundedCache<ScalarTest>(maxCached, (_, text) => charactersOfString + text.length);
  const filledWith = (value: Json): Filled => ({ value, test: testOf(value), cost: costOfScalar(value) });
  const testOf = (value: Json): ScalarTest => {
    if (!isString(value) || value.length > maxCached) return compileScalar(value);
    return tests.getOrMake(value, () => compileScalar(value));
  };
  return (resource, scope, steps) => {
    const values = evaluate(templates, scope);
    if (isFault(values)) return faultFailure(values);
    if (steps !== undefined && (steps.left -= costOfCompiling(values, steps.left)) < 0) {
      return faultFailure(tooManyValues);
    }
    if (templates.every((template, index) => keepsNodes(template, values[index]!))) {
      return compare(node, resource, { filled: values.map(filledWith), steps });
    }
    const rebuilt = compileTree(node.fill!(values), undefined);
    return isFault(rebuilt) ? faultFailure(rebuilt) : compare(rebuilt.node, resource, { steps });
  };
}

/** The steps of compiling a character of a value. Short texts are not counted. */
const stepsOfCharacter = 4, shortText = 64;

const tooManyValues = new Fault("the values of the pattern's variables take too many steps to compile");

/** The steps of compiling the values of templates: counting ends beyond the limit. */
function costOfCompiling(values: readonly Json[], limit: number): number {
  let characters = 0;
  for (const value of values) {
    if (isString(value) ? value.length > shortText : typeof value === "object" && value !== null) {
      characters += jsonLength(value, limit / stepsOfCharacter - characters);
    }
  }
  return characters * stepsOfCharacter;
}

/** Returns the values of all templates, or the first fault. */
function evaluate<S>(templates: readonly PatternTemplate<S>[], scope: S): Json[] | Fault {
  const values: Json[] = [];
  for (const { text, role, evaluate } of templates) {
    const value = evaluate(scope);
    if (isFault(value)) return value;
    if (role === "key" && value !== null && !isString(value)) {
      return new Fault(`expected string after substituting variables in key "${text}"`);
    }
    if (isString(value) && value.length > maxFilledLength) {
      return new Fault(`a value of ${value.length} characters is too long for a pattern`);
    }
    const slow = isString(value) ? slowText(value) : undefined;
    if (slow !== undefined) return slow;
    values.push(value);
  }
  return values;
}

/** Whether a value leaves the pattern around it as it is, so that the nodes compiled at load still hold. */
function keepsNodes<S>({ role, text }: PatternTemplate<S>, value: Json): boolean {
  if (role === "key") return value === text;
  if (role === "label") return isString(value);
  return typeof value !== "object" || value === null;
}
