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
  | "none applied";

/**
 * A failed comparison as a value: text and path are made when they are read. Creating a mismatch must be cheap, because
 * anchors discard most of them.
 */
export interface PatternMismatch {
  readonly reason: Reason;
  /** Steps to the failing place, innermost first; every caller that passes the mismatch on adds its own. */
  readonly trail: PathStep[];
  /** The piece of the pattern; with `actual` it is `undefined` where the causes have them. */
  readonly expected: Json | undefined;
  /** The value found; `undefined` when there is none. */
  readonly actual: Json | undefined;
  /** The mismatches that this one stands for; their trails begin where this one ends. */
  readonly causes: readonly PatternMismatch[];
}

const none: readonly PatternMismatch[] = [];

/** A mismatch right here. */
export function mismatch(
  reason: Reason,
  expected: Json | undefined,
  actual: Json | undefined,
): PatternMismatch {
  return { reason, trail: [], expected, actual, causes: none };
}

/** A mismatch that other mismatches amount to. */
export function mismatchOf(reason: Reason, causes: readonly PatternMismatch[]): PatternMismatch {
  return { reason, trail: [], expected: undefined, actual: undefined, causes };
}

/** Passes a mismatch on from under a key or index. */
export function under(step: PathStep, found: PatternMismatch): PatternMismatch {
  found.trail.push(step);
  return found;
}

/**
 * Whether the mismatch says that the rule does not apply rather than that the resource is wrong. Kyverno recognises
 * skips by the text of the error, so a value that contains "conditional anchor mismatch" skips a rule; in Postern it
 * does not ("a value that talks like an anchor skips nothing").
 */
export function isSkip(found: PatternMismatch): boolean {
  return found.reason === "none applied" || isDirectSkip(found);
}

/** Whether an anchor of this very map raised the skip, not one of a map or list beneath it. */
export function isDirectSkip({ reason }: PatternMismatch): boolean {
  return reason === "condition" || reason === "condition missing" || reason === "global";
}

/**
 * The path as Kyverno prints it, `/spec/containers/0/image/`: that of the map when the key is what is missing, and
 * empty for a list that is too short.
 */
export function pathOf(found: PatternMismatch): string {
  return found.reason === "too short" ? "" : place(found, "/");
}

function place({ reason, trail }: PatternMismatch, base: string): string {
  let path = base;
  const innermost = reason === "missing" ? 1 : 0;
  for (let index = trail.length - 1; index >= innermost; index--) path += `${trail[index]}/`;
  return path;
}

/** The message in Kyverno's words. */
export function messageOf(found: PatternMismatch): string {
  const out = new BoundedText();
  writeMessage(out, found, "/");
  return out.toString();
}

function writeMessage(out: BoundedText, found: PatternMismatch, base: string): void {
  if (!out.full) texts[found.reason](out, found, place(found, base));
}

/** The innermost mismatch that the others were made from: the first one when there are several. */
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
