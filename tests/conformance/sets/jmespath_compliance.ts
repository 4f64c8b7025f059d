import { join } from "node:path";
import assert from "node:assert/strict";
import { Fault, type Json, scopeOf } from "../../../lib/json/mod.ts";
import { compileExpression } from "../../../lib/jmespath/mod.ts";
import type { Check, ConformanceSet } from "../set.ts";

interface Suite {
  readonly given: Json;
  readonly cases: readonly {
    readonly expression: string;
    readonly result?: Json;
    readonly error?: string;
  }[];
}

const environment = { now: () => 0, random: () => 0 };

function sorted(values: Json): Json {
  return Array.isArray(values)
    ? [...values].sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    : values;
}

function check(given: Json, { expression, result, error }: Suite["cases"][number]): Check {
  const compiled = compileExpression(expression, { root: "document" });
  const actual = compiled instanceof Fault ? compiled : compiled.evaluate(scopeOf(given), environment);
  const expected = error === undefined ? JSON.stringify(result) : `error: ${error}`;
  const text = actual instanceof Fault ? `error: ${actual.message}` : JSON.stringify(actual);
  if (error !== undefined) {
    return { aspect: "outcome", agree: actual instanceof Fault, expected, actual: text };
  }
  // The order of an object's values is not promised.
  const unordered = /\*|keys|values/.test(expression);
  const [left, right] = unordered
    ? [sorted(actual instanceof Fault ? null : actual), sorted(result!)]
    : [actual, result];
  let agree = !(actual instanceof Fault);
  try {
    assert.deepEqual(left, right);
  } catch {
    agree = false;
  }
  return { aspect: "outcome", agree, expected, actual: text };
}

/** The official JMESPath compliance suite; where Kyverno's dialect differs on purpose, the differences are listed. */
export const jmespathCompliance: ConformanceSet = {
  name: "jmespath-compliance",
  goals: { outcome: 0.97 },
  *rows(corpus) {
    const folder = join(corpus, "jmespath-compliance");
    for (const file of [...Deno.readDirSync(folder)].map(({ name }) => name).sort()) {
      if (!file.endsWith(".json")) continue;
      const suites = JSON.parse(Deno.readTextFileSync(join(folder, file))) as readonly Suite[];
      for (const [group, { given, cases }] of suites.entries()) {
        for (const [index, one] of cases.entries()) {
          const id = `${file.replace(".json", "")}/${group}/${index}`;
          const input = `${one.expression}   on ${JSON.stringify(given)}`;
          yield { id, input, check: () => [check(given, one)] };
        }
      }
    }
  },
};
