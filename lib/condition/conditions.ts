import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { type Environment, fixedEnvironment, type FunctionTable } from "../jmespath/mod.ts";
import {
  type DocumentPath,
  emptyScope,
  Fault,
  field,
  isFault,
  isList,
  isObject,
  type Json,
  type Scope,
} from "../json/mod.ts";
import type { Dialect } from "../kube/mod.ts";
import type { TemplateOptions, Use } from "../template/mod.ts";
import { compileCondition, type Condition } from "./condition.ts";
import type { Observe } from "./observation.ts";
import {
  alwaysHolds,
  type ConditionBlock,
  type ConditionVerdict,
  evaluateBlock,
  type EvaluateConditions,
  evaluateEach,
  evaluateException,
  evaluateOne,
} from "./verdict.ts";

/** The options of compiling conditions. */
export interface ConditionOptions {
  /**
   * In `classic`, a variable without a value becomes an empty string in the conditions of rules; in `current` it is a
   * fault.
   */
  readonly dialect: Dialect;
  /**
   * The owner of the conditions, which determines their form: `rule` for preconditions and deny conditions (a block,
   * or a list of conditions), `blocks` for attestations (a list of blocks), `exception` for exceptions and cleanup
   * policies.
   */
  readonly evaluator: "rule" | "blocks" | "exception";
  /** The functions that expressions may call; Kyverno's when absent. */
  readonly functions?: FunctionTable;
}

/** Compiled conditions. */
export interface Conditions {
  /** The verdict, when it depends on no input. */
  readonly constant: ConditionVerdict | Fault | undefined;
  /** The variables, by path in the conditions. */
  readonly uses: readonly Use[];
  /** Problems in the conditions, for the policy's author: unknown operators, blocks that never hold. */
  readonly problems: readonly PathDiagnostic[];
  /** Evaluates the conditions in order up to the first fault, and reports each one to `observe`. */
  evaluate(scope: Scope, environment: Environment, observe?: Observe): ConditionVerdict | Fault;
}

/**
 * Compiles conditions: an object with `any` and `all`, a list of conditions of which all must hold, or a list of such
 * objects. Null and missing conditions always hold. A fault when they have another shape.
 *
 * ```ts
 * import { compileConditions } from "./conditions.ts";
 * import { isFault, scopeOf } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const conditions = compileConditions(
 *   { any: [{ key: "{{ request.operation }}", operator: "AnyIn", value: ["CREATE", "UPDATE"], message: "changes" }] },
 *   { dialect: "current", evaluator: "rule" },
 * );
 * assert.ok(!isFault(conditions));
 * const environment = { now: () => 0, random: () => 0 };
 * assert.deepEqual(conditions.evaluate(scopeOf({ request: { operation: "CREATE" } }), environment), {
 *   holds: true,
 *   message: "changes",
 * });
 * ```
 */
export function compileConditions(
  conditions: Json | undefined,
  options: ConditionOptions,
): Conditions | Fault {
  // Kyverno's documentation describes the empty string only for the conditions of rules.
  const lenient = options.dialect === "classic" && options.evaluator === "rule";
  const { evaluator, functions } = options;
  const compiler = new Compiler(evaluator, {
    unresolved: lenient ? "empty" : "fault",
    ...(functions === undefined ? {} : { functions }),
  });
  const evaluate = compiler.compile(conditions ?? null);
  if (isFault(evaluate)) return evaluate;
  const { conditions: compiled, problems } = compiler;
  const uses = compiled.flatMap((condition) => condition.uses);
  const isConstant = compiled.every(({ constant }) => constant !== undefined);
  const constant = isConstant ? evaluate(emptyScope, fixedEnvironment, undefined) : undefined;
  return {
    constant,
    uses,
    problems: [...problems, ...compiled.flatMap((condition) => condition.problems)],
    evaluate: (scope, environment, observe) =>
      constant !== undefined && observe === undefined ? constant : evaluate(scope, environment, observe),
  };
}

class Compiler {
  readonly conditions: Condition[] = [];
  readonly problems: PathDiagnostic[] = [];
  readonly #evaluator: ConditionOptions["evaluator"];
  readonly #options: TemplateOptions;

  constructor(evaluator: ConditionOptions["evaluator"], options: TemplateOptions) {
    this.#evaluator = evaluator;
    this.#options = options;
  }

  compile(conditions: Json): EvaluateConditions | Fault {
    if (conditions === null) return alwaysHolds;
    if (isList(conditions)) return this.#list(conditions);
    return isObject(conditions) ? this.#block(conditions, []) : invalid("neither an object nor a list");
  }

  #list(items: readonly Json[]): EvaluateConditions | Fault {
    const members: EvaluateConditions[] = [];
    for (const [index, item] of items.entries()) {
      if (!isObject(item)) return invalid(`item ${index} is no object`);
      const member = this.#evaluator !== "rule" || isBlock(item)
        ? this.#block(item, [index])
        : evaluateOne(this.#condition(item, [index]));
      if (isFault(member)) return member;
      members.push(member);
    }
    return evaluateEach(members);
  }

  #block(block: Json, path: DocumentPath): EvaluateConditions | Fault {
    if (!isBlock(block) && field(block, "operator") !== undefined) {
      this.#warn(
        path,
        "the condition is in no any or all, and is not evaluated",
        "put it into a list under all",
      );
    }
    const any = this.#conditions(field(block, "any") ?? null, [...path, "any"]);
    if (isFault(any)) return any;
    const all = this.#conditions(field(block, "all") ?? null, [...path, "all"]);
    if (isFault(all)) return all;
    const compiled: ConditionBlock = { any, all: all ?? [] };
    if (this.#evaluator === "exception") return evaluateException(compiled);
    if (any?.length === 0) {
      this.#warn([...path, "any"], "any without conditions never holds", "remove it, or add a condition");
    }
    return evaluateBlock(compiled);
  }

  #conditions(list: Json, path: DocumentPath): readonly Condition[] | Fault | undefined {
    if (list === null) return undefined;
    if (!isList(list)) return invalid(`${path.join(".")} is no list`);
    const bad = list.findIndex((item) => !isObject(item));
    if (bad >= 0) return invalid(`${path.join(".")}[${bad}] is no object`);
    return list.map((item, index) => this.#condition(item, [...path, index]));
  }

  #condition(condition: Json, path: DocumentPath): Condition {
    const compiled = compileCondition(condition, path, this.#options);
    this.conditions.push(compiled);
    return compiled;
  }

  #warn(path: DocumentPath, message: string, hint: string): void {
    this.problems.push({ severity: "warning", code: "ineffective-conditions", message, hint, path });
  }
}

/** Whether a list item is a block of conditions rather than a condition. */
function isBlock(item: Json): boolean {
  return field(item, "any") !== undefined || field(item, "all") !== undefined;
}

function invalid(reason: string): Fault {
  return new Fault(`invalid preconditions: ${reason}`);
}
