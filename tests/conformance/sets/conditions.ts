import { join } from "node:path";
import { compileConditions, type Conditions, type ConditionVerdict } from "../../../lib/condition/mod.ts";
import { type Fault, isFault, type Json, type JsonObject, scopeOf } from "../../../lib/json/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface ConditionRow {
  readonly key: Json;
  readonly operator: string;
  readonly value: Json;
  readonly via: "literal" | "context" | "both" | "template";
  readonly context?: JsonObject;
  readonly expect: boolean | "error";
  readonly error?: string;
}

interface BlocksRow {
  readonly evaluator: "rule" | "blocks" | "exception";
  readonly conditions: Json;
  readonly expect: boolean | "error";
  readonly message?: string;
  readonly error?: string;
}

const environment = { now: () => 0, random: () => 0 };

/** Operators, one condition at a time. */
export const conditions: ConformanceSet = {
  name: "matrix/conditions",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<ConditionRow>(join(corpus, "matrix/conditions.jsonl"))) {
      const { key, operator, value, via } = row;
      const input = `${JSON.stringify(key)} ${operator} ${JSON.stringify(value)} (${via})`;
      yield { id: String(line), input, check: () => checkCondition(row) };
    }
  },
};

/** Lists of conditions, blocks, and their messages. */
export const conditionsBlocks: ConformanceSet = {
  name: "matrix/conditions_blocks",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<BlocksRow>(join(corpus, "matrix/conditions_blocks.jsonl"))) {
      yield {
        id: String(line),
        input: `${row.evaluator}: ${JSON.stringify(row.conditions)}`,
        check: () => checkBlocks(row),
      };
    }
  },
};

function checkCondition({ key, operator, value, via, context, expect, error }: ConditionRow): Check[] {
  const fromContext = via === "context" || via === "both";
  const condition = {
    key: fromContext ? "{{ k }}" : key,
    operator,
    value: via === "both" ? "{{ v }}" : value,
  };
  const compiled = compileConditions([condition], { dialect: "current", evaluator: "rule" });
  return checksOf(evaluate(compiled, context ?? { k: key, v: value }), { expect, error });
}

function checkBlocks({ evaluator, conditions, expect, message, error }: BlocksRow): Check[] {
  const compiled = compileConditions(conditions, { dialect: "current", evaluator });
  const actual = evaluate(compiled, {});
  const checks = checksOf(actual, { expect, error });
  if (message !== undefined && !isFault(actual)) checks.push(checkText("message", message, actual.message));
  return checks;
}

function evaluate(conditions: Conditions | Fault, context: JsonObject): ConditionVerdict | Fault {
  return isFault(conditions) ? conditions : conditions.evaluate(scopeOf(context), environment);
}

interface Expected {
  readonly expect: boolean | "error";
  readonly error: string | undefined;
}

function checksOf(actual: ConditionVerdict | Fault, { expect, error }: Expected): Check[] {
  const checks = [checkText("result", String(expect), isFault(actual) ? "error" : String(actual.holds))];
  // Kyverno's text for an operator that does not exist is a slip of its formatting.
  if (isFault(actual) && error !== undefined && !error.includes("%!w")) {
    checks.push(checkText("error", error, actual.message));
  }
  return checks;
}
