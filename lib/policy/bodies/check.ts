import { asList, field, isGiven, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { contextShape, type EntrySpec, parseContext } from "../../context/mod.ts";
import type { BodyFormat } from "./body_format.ts";

/** The fields of every validating rule. */
export interface Validation {
  /** A template; `undefined` when there is none. */
  readonly message: Json | undefined;
}

/** The object must match the pattern. */
export interface PatternCheck {
  readonly kind: "pattern";
  /** The pattern, with variables and anchors. */
  readonly pattern: Json;
}

/** The object must match one of the patterns. */
export interface AnyPatternCheck {
  readonly kind: "anyPattern";
  /** A list of patterns, with variables and anchors. */
  readonly patterns: Json;
}

/** The conditions must not hold; without conditions every object fails. */
export interface DenyCheck {
  readonly kind: "deny";
  readonly conditions: Json | undefined;
}

/** Each element of some lists must pass a check. */
export interface ForeachCheck {
  readonly kind: "foreach";
  readonly entries: readonly CheckLoop[];
}

/** The fields of every kind of foreach. */
export interface LoopSpec {
  /** A JMESPath expression. */
  readonly list: string;
  readonly context: readonly EntrySpec[];
  readonly preconditions: Json | undefined;
}

/** One entry of `validate.foreach`. */
export interface CheckLoop extends LoopSpec {
  readonly elementScope: boolean | undefined;
  /** `undefined` when the entry checks nothing. */
  readonly check: PatternCheck | AnyPatternCheck | DenyCheck | ForeachCheck | undefined;
}

export const patternFormat: BodyFormat<PatternCheck & Validation> = {
  kind: "pattern",
  section: "validate",
  shape: { pattern: "open" },
  recognises: (validate) => isGiven(field(validate, "pattern")),
  read: (validate) => ({ kind: "pattern", pattern: field(validate, "pattern")!, ...validation(validate) }),
  carryOver: (validate, wrap) => ({ pattern: wrap(validate["pattern"]!) }),
};

export const anyPatternFormat: BodyFormat<AnyPatternCheck & Validation> = {
  kind: "anyPattern",
  section: "validate",
  shape: { anyPattern: "open" },
  recognises: (validate) => isGiven(field(validate, "anyPattern")),
  read: (validate) => ({
    kind: "anyPattern",
    patterns: field(validate, "anyPattern")!,
    ...validation(validate),
  }),
  carryOver: (validate, wrap) => {
    const patterns = asList(validate["anyPattern"]);
    return patterns.length === 0 ? undefined : { anyPattern: patterns.map(wrap) };
  },
};

export const denyFormat: BodyFormat<DenyCheck & Validation> = {
  kind: "deny",
  section: "validate",
  shape: { deny: { conditions: "open" } },
  recognises: (validate) => isObject(field(validate, "deny")),
  read: (validate) => ({ ...parseDeny(field(validate, "deny")), ...validation(validate) }),
  carryOver: (validate) => ({ deny: validate["deny"]! }),
};

export const foreachFormat: BodyFormat<ForeachCheck & Validation> = {
  kind: "foreach",
  section: "validate",
  shape: {
    foreach: [{
      list: "text",
      elementScope: "flag",
      context: contextShape,
      preconditions: "open",
      pattern: "open",
      anyPattern: "open",
      deny: { conditions: "open" },
      foreach: "open",
    }],
  },
  recognises: (validate) => asList(field(validate, "foreach")).length > 0,
  read: (validate) => ({ ...parseForeach(field(validate, "foreach")), ...validation(validate) }),
  carryOver: (validate) => ({ foreach: validate["foreach"]! }),
  entries: ({ entries }) => entries.flatMap(entriesOfLoop),
};

function entriesOfLoop({ context, check }: CheckLoop): readonly EntrySpec[] {
  return [...context, ...(check?.kind === "foreach" ? check.entries.flatMap(entriesOfLoop) : [])];
}

/** Parses the fields of every validating rule. */
export function validation(validate: Json): Validation {
  return { message: field(validate, "message") };
}

/** Parses the fields of every kind of foreach. */
export function parseLoop(entry: JsonObject): LoopSpec {
  return {
    list: typeof entry["list"] === "string" ? entry["list"] : "",
    context: parseContext(entry["context"]),
    preconditions: isGiven(entry["preconditions"]) ? entry["preconditions"] : undefined,
  };
}

function parseDeny(deny: Json | undefined): DenyCheck {
  return { kind: "deny", conditions: field(deny, "conditions") };
}

function parseForeach(written: Json | undefined): ForeachCheck {
  const entries = asList(written).filter(isObject).map((entry): CheckLoop => ({
    ...parseLoop(entry),
    elementScope: typeof entry["elementScope"] === "boolean" ? entry["elementScope"] : undefined,
    check: parseCheck(entry),
  }));
  return { kind: "foreach", entries };
}

function parseCheck(entry: JsonObject): CheckLoop["check"] {
  if (isObject(entry["deny"])) return parseDeny(entry["deny"]);
  if (isGiven(entry["pattern"])) return { kind: "pattern", pattern: entry["pattern"] };
  if (isGiven(entry["anyPattern"])) return { kind: "anyPattern", patterns: entry["anyPattern"] };
  const inner = parseForeach(entry["foreach"]);
  return inner.entries.length > 0 ? inner : undefined;
}
