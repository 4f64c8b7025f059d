import type { Json } from "../json/mod.ts";
import { BoundedText, typeName, writeValue } from "./value_text.ts";

/** A step of a path: a map's key or a list's index. */
export type PathStep = string | number;

/** Why a value does not agree with its pattern. */
export type Reason =
  | "value"
  | "not a map"
  | "not a list"
  | "empty pattern"
  | "too short"
  | "missing"
  | "forbidden"
  | "none exists"
  | "existence of a non-list"
  | "existence pattern"
  | "existence element"
  | "condition"
  | "condition missing"
  | "global"
  | "none applied"
  | "left out"
  | "out of steps";

/**
 * A failed comparison as a value. Its text and path are made when a caller reads them: creating a mismatch must
 * be cheap, because anchors discard most of them.
 */
export interface PatternMismatch {
  readonly reason: Reason;
  /**
   * The steps to the failing value, innermost first. Every caller that passes the mismatch on adds its step.
   */
  readonly trail: PathStep[];
  /** The part of the pattern. It and `actual` are `undefined` where the causes have them. */
  readonly expected: Json | undefined;
  /** The value found; `undefined` when there is none. */
  readonly actual: Json | undefined;
  /** The mismatches that this one sums up; their trails begin where the trail of this one ends. */
  readonly causes: readonly PatternMismatch[];
}

const none: readonly PatternMismatch[] = [];

/** Makes a mismatch of the value that is being compared. */
export function mismatch(
  reason: Reason,
  expected: Json | undefined,
  actual: Json | undefined,
): PatternMismatch {
  return { reason, trail: [], expected, actual, causes: none };
}

/** Makes a mismatch that sums up others. */
export function mismatchOf(reason: Reason, causes: readonly PatternMismatch[]): PatternMismatch {
  return { reason, trail: [], expected: undefined, actual: undefined, causes };
}

/** Adds the key or index below which a mismatch was found, and returns the mismatch. */
export function under(step: PathStep, found: PatternMismatch): PatternMismatch {
  found.trail.push(step);
  return found;
}

/**
 * Whether the mismatch means that the rule does not apply, and not that the resource is wrong. Kyverno
 * recognises skips by the text of the error, so a value that contains "conditional anchor mismatch" skips a
 * rule; in Postern it does not ("a value that looks like an anchor skips nothing").
 */
export function isSkip(found: PatternMismatch): boolean {
  return found.reason === "none applied" || isDirectSkip(found);
}

/** Whether an anchor of the map itself caused the skip, not one of a map or list below it. */
export function isDirectSkip({ reason }: PatternMismatch): boolean {
  return reason === "condition" || reason === "condition missing" || reason === "global";
}

/**
 * Returns the path as Kyverno prints it, `/spec/containers/0/image/`. When a key is missing it is the path of
 * the map; for a list that is too short it is empty.
 */
export function pathOf(found: PatternMismatch): string {
  return found.reason === "too short" ? "" : pathBelow(found, "/");
}

function pathBelow({ reason, trail }: PatternMismatch, base: string): string {
  let path = base;
  const innermost = reason === "missing" ? 1 : 0;
  for (let index = trail.length - 1; index >= innermost; index--) path += `${trail[index]}/`;
  return path;
}

/** Returns the message in Kyverno's words. */
export function messageOf(found: PatternMismatch): string {
  const out = new BoundedText();
  writeMessage(out, found, "/");
  return out.toString();
}

function writeMessage(out: BoundedText, found: PatternMismatch, base: string): void {
  if (!out.full) texts[found.reason](out, found, pathBelow(found, base));
}

/** Returns the innermost cause of a mismatch, the first one when there are several, and the steps to it. */
export function originOf(
  found: PatternMismatch,
): { readonly origin: PatternMismatch; readonly steps: readonly PathStep[] } {
  const steps = found.trail.toReversed();
  let origin = found;
  while (origin.causes.length > 0) {
    origin = origin.causes[0]!;
    steps.push(...origin.trail.toReversed());
  }
  return { origin, steps };
}

type Write = (out: BoundedText, found: PatternMismatch, path: string) => void;

/** The text of each reason. */
const texts: Readonly<Record<Reason, Write>> = {
  value(out, found, path) {
    out.write("resource value '");
    writeValue(out, found.actual);
    out.write("' does not match '");
    writeValue(out, found.expected);
    out.write(`' at path ${path}`);
  },
  "not a map"(out, { expected, actual }, path) {
    out.write(`pattern and resource have different structures. Path: ${path}. `);
    out.write(`Expected ${typeName(expected)}, found ${typeName(actual)}`);
  },
  "not a list"(out, _found, path) {
    out.write(
      `validation rule failed at path ${path}, resource does not satisfy the expected overlay pattern`,
    );
  },
  "empty pattern"(out) {
    out.write("pattern Array empty");
  },
  "too short"(out, { expected, actual }) {
    out.write("validate Array failed, array length mismatch, ");
    out.write(`resource Array len is ${lengthOf(actual)} and pattern Array len is ${lengthOf(expected)}`);
  },
  missing(out, { trail }, path) {
    out.write(`${path}/${trail[0]} not found`);
  },
  forbidden(out, _found, path) {
    out.write(`negation anchor matched in resource: ${path} is not allowed`);
  },
  "none exists"(out, _found, path) {
    out.write(`existence anchor validation failed at path ${path}`);
  },
  "existence of a non-list"(out, { actual }) {
    out.write(`invalid resource type ${typeName(actual)}: `);
    out.write("Existence ^ () anchor can be used only on list/array type resource");
  },
  "existence pattern"(out, { expected }) {
    out.write(`invalid pattern type ${typeName(expected)}: `);
    out.write("Pattern has to be of list to compare against resource");
  },
  "existence element"(out, { expected }) {
    out.write(`invalid pattern type ${typeName(expected)}: `);
    out.write("Pattern has to be of type map to compare against items in resource");
  },
  condition(out, { causes }, path) {
    out.write("conditional anchor mismatch: ");
    writeMessage(out, causes[0]!, path);
  },
  "condition missing"(out) {
    out.write("conditional anchor mismatch: conditional anchor key doesn't exist in the resource");
  },
  global(out, { causes }, path) {
    out.write("global anchor mismatch: ");
    writeMessage(out, causes[0]!, path);
  },
  "left out"(out) {
    out.write("…");
  },
  "out of steps"(out) {
    out.write("the comparison with the pattern takes too many steps");
  },
  "none applied"(out, { causes }, path) {
    causes.forEach((cause, index) => {
      if (index > 0) out.write("; ");
      writeMessage(out, cause, path);
    });
  },
};

function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}
