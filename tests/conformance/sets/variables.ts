import { join } from "node:path";
import { goJson, isFault, type Json, type JsonObject, scopeOf } from "../../../lib/json/mod.ts";
import { compileTemplate } from "../../../lib/template/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface VariablesRow {
  readonly context: string;
  readonly template: Json;
  readonly result?: Json;
  readonly error?: string;
}

const environment = { now: () => 0, random: () => 0 };

/** References and variables in whole documents. */
export const variables: ConformanceSet = {
  name: "matrix/variables",
  // Text that comes from variables is no template here; a third of the contexts' values are made to be some.
  goals: { result: 0.87, error: 1 },
  *rows(corpus) {
    const contexts = JSON.parse(
      Deno.readTextFileSync(join(corpus, "matrix/variables_contexts.json")),
    ) as JsonObject;
    for (const { line, row } of jsonLines<VariablesRow>(join(corpus, "matrix/variables.jsonl"))) {
      const check = () => checkRow(row, contexts[row.context]!);
      yield { id: String(line), input: `${row.context}: ${JSON.stringify(row.template)}`, check };
    }
  },
};

function checkRow({ template, result, error }: VariablesRow, context: Json): Check[] {
  const actual = compileTemplate(template).render(scopeOf(context), environment);
  const checks = [
    checkText(
      "result",
      error === undefined ? goJson(result ?? null) : "error",
      isFault(actual) ? "error" : goJson(actual),
    ),
  ];
  if (error !== undefined && isFault(actual)) checks.push(checkText("error", error, actual.message));
  return checks;
}
