import { goFloat, goJson, isList, isObject, type Json, sortedKeys } from "../../json/mod.ts";

/** A leaf of a tree that the payload does not fulfil. */
export interface AssertionViolation {
  /** The keys of the tree, joined by dots: `spec.(replicas > `3`)`. */
  readonly path: string;
  /** `required`: the field is missing; `invalid`: its value is not the expected one. */
  readonly kind: "required" | "invalid";
  /** The payload's value there; empty for a missing field. */
  readonly value: Json;
  /** The expected value: `Expected value: true`. */
  readonly detail: string;
}

/**
 * A violation as Kyverno prints it.
 *
 * ```ts
 * import { violationText } from "./violation.ts";
 * import assert from "node:assert/strict";
 * const violation = { path: "spec.a", kind: "invalid", value: true, detail: "Expected value: false" } as const;
 * assert.equal(violationText(violation), "spec.a: Invalid value: true: Expected value: false");
 * ```
 */
export function violationText(violation: AssertionViolation): string {
  return `${violation.path}: ${violationBody(violation)}`;
}

/** A violation without its path: `Invalid value: true: Expected value: false`. */
function violationBody({ kind, value, detail }: AssertionViolation): string {
  return kind === "required" ? `Required value: ${detail}` : `Invalid value: ${foundText(value)}: ${detail}`;
}

/** `path: Invalid value: value: detail`. */
export function invalidText(path: string, value: Json, detail: string): string {
  return violationText({ path, kind: "invalid", value, detail });
}

/** The expectation of a leaf. */
export function expectation(value: Json): string {
  return `Expected value: ${goSyntax(value, "bare")}`;
}

/** A found value as JSON; numbers print as in Go. */
function foundText(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" ? numberText(value) : goJson(value);
}

/** A value in Go's notation (`%#v`), in which Kyverno prints the expected value. */
function goSyntax(value: Json, nesting: "bare" | "nested"): string {
  if (value === null) return nesting === "bare" ? "<nil>" : "interface {}(nil)";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (isList(value)) return `[]interface {}{${value.map((item) => goSyntax(item, "nested")).join(", ")}}`;
  const fields = isObject(value) ? sortedKeys(value) : [];
  const entries = fields.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!, "nested")}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
}

/** Whole numbers are integers in Kyverno's documents and have no exponent; others print as Go's floats. */
function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : goFloat(value);
}
