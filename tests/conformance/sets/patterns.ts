import { join } from "node:path";
import { isFault, type Json } from "../../../lib/json/mod.ts";
import { compilePattern } from "../../../lib/pattern/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface PatternRow {
  readonly pattern: Json;
  readonly resource: Json;
  readonly expect: string;
  readonly path: string;
  readonly message: string;
}

/** `validate.pattern` against the matcher's own status, path and message, before a rule makes user messages of them. */
export const patterns: ConformanceSet = {
  name: "matrix/patterns",
  goals: { result: 1, path: 1, message: 1 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<PatternRow>(join(corpus, "matrix/patterns.jsonl"))) {
      const { pattern, resource } = row;
      yield { id: String(line), input: JSON.stringify({ pattern, resource }), check: () => compare(row) };
    }
  },
};

function compare({ pattern, resource, expect, path, message }: PatternRow): Check[] {
  const compiled = compilePattern(pattern);
  if (isFault(compiled)) return [checkText("result", expect, `fault: ${compiled.message}`)];
  const result = compiled.check(resource);
  const failure = result.status === "pass" ? { path: "", message: "" } : result;
  return [
    checkText("result", expect, result.status),
    checkText("path", path, failure.path),
    checkText("message", message, failure.message),
  ];
}
