import assert from "node:assert/strict";
import { isFault, type Json } from "../../lib/json/mod.ts";
import {
  compilePattern,
  type Pattern,
  type PatternFailure,
  type PatternOptions,
} from "../../lib/pattern/mod.ts";

/** A pattern that must compile. */
export function compile<S = void>(pattern: Json, options: PatternOptions<S> = {}): Pattern<S> {
  const compiled = compilePattern(pattern, options);
  assert.ok(!isFault(compiled), isFault(compiled) ? compiled.message : "");
  return compiled;
}

/** The failure of a resource that must not pass. */
export function failureOf(pattern: Json, resource: Json): PatternFailure {
  const result = compile(pattern).check(resource);
  assert.ok(result.status !== "pass", "the resource passes");
  return result;
}
