import { join } from "node:path";
import assert from "node:assert/strict";
import { Fault, type Json, scopeOf } from "../../../lib/json/mod.ts";
import { compileExpression } from "../../../lib/jmespath/mod.ts";
import { type Check, type ConformanceSet, jsonLines } from "../set.ts";

interface JmespathRow {
  readonly expression: string;
  readonly input: Json;
  readonly result?: Json;
  readonly error?: string;
}

const environment = { now: () => 0, random: () => 0 };

/** Evaluates the expression on the input and returns its result, or the fault in the corpus's form. */
function answer({ expression, input }: JmespathRow, root: "context" | "document"): Json | Fault {
  const compiled = compileExpression(expression, { root });
  if (compiled instanceof Fault) return new Fault(`compile: ${compiled.message}`);
  return compiled.evaluate(scopeOf(input), environment);
}

/** NaN and infinities as the corpus writes them. */
function written(value: Json): Json {
  return typeof value === "number" && !Number.isFinite(value)
    ? String(value).replace("Infinity", "Inf")
    : value;
}

/** Kyverno lists an object's values in random order, so that their order is not compared. */
function ordered({ expression }: JmespathRow, value: Json): Json {
  if (!/^(?:values|keys)\(/.test(expression) || !Array.isArray(value)) return value;
  return value.map((element) => JSON.stringify(element)).sort();
}

function same(left: Json, right: Json): boolean {
  try {
    assert.deepEqual(left, right);
    return true;
  } catch {
    return false;
  }
}

function checks(row: JmespathRow): readonly Check[] {
  const roots = typeof row.input === "object" && row.input !== null
    ? ["document", "context"] as const
    : ["document"] as const;
  const results: Check[] = [];
  for (const root of roots) {
    const actual = answer(row, root);
    const aspect = root === "document" ? "" : " in a context";
    const text = actual instanceof Fault ? `error: ${actual.message}` : JSON.stringify(written(actual));
    if (row.error !== undefined) {
      const expected = `error: ${row.error}`;
      results.push({ aspect: `outcome${aspect}`, agree: actual instanceof Fault, expected, actual: text });
      if (actual instanceof Fault) {
        results.push({ aspect: `error text${aspect}`, agree: text === expected, expected, actual: text });
      }
    } else {
      const agree = !(actual instanceof Fault) &&
        same(ordered(row, written(actual)), ordered(row, row.result!));
      results.push({ aspect: `outcome${aspect}`, agree, expected: JSON.stringify(row.result), actual: text });
    }
  }
  return results;
}

/** Kyverno's JMESPath, applied to a document and, where the input is an object, as names of a context. */
export const matrixJmespath: ConformanceSet = {
  name: "matrix/jmespath",
  goals: {
    outcome: 0.995,
    "outcome in a context": 0.995,
    "error text": 0.95,
    "error text in a context": 0.95,
  },
  *rows(corpus) {
    for (const { line, row } of jsonLines<JmespathRow>(join(corpus, "matrix/jmespath.jsonl"))) {
      const input = `${row.expression}   on ${JSON.stringify(row.input)}`;
      yield { id: String(line), input, check: () => checks(row) };
    }
  },
};
