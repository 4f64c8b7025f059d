import type { Checked } from "./check/mod.ts";
import type { ConstantText, ExternalNeed } from "./external_need.ts";
import { type CelExpression, type MapLiteral, partsOf } from "./syntax/mod.ts";

/**
 * The external values that an expression reads, the variables that it names, and the types of objects that it
 * creates, as far as its text shows them.
 */
export interface ProgramFacts {
  readonly needs: readonly ExternalNeed[];
  /** Whether it calls functions that read values from outside or generate objects, for some only in one namespace. */
  readonly callsOut: boolean;
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>;
  /** The fields of variables that it reads, as `request.userInfo`; the variable alone where it reads the whole. */
  readonly fields: ReadonlySet<string>;
  /** The types of Kubernetes objects that it creates: map literals with a constant apiVersion and kind. */
  readonly objects: readonly { readonly apiVersion: string; readonly kind: string }[];
}

/** Collects the facts of an expression and all of its parts. */
export function factsOf(expression: CelExpression, { calls, names }: Checked): ProgramFacts {
  const needs: ExternalNeed[] = [];
  const variables = new Set<string>(), fields = new Set<string>();
  const objects: { apiVersion: string; kind: string }[] = [];
  let callsOut = false;
  visit(expression);
  return { needs, callsOut, variables, fields, objects };

  function visit(part: CelExpression, field = ""): void {
    const name = names.get(part);
    if (name?.kind === "variable") {
      variables.add(name.name);
      fields.add(name.name + field);
    }
    const call = calls.get(part);
    for (const { needs: needsOf, style, callOut, forCallOut } of call?.overloads ?? []) {
      callsOut ||= callOut !== undefined || forCallOut !== undefined;
      // The receiver of a method comes first, and does not matter here.
      needs.push(...needsOf?.(call!.args.slice(style === "method" ? 1 : 0).map(constantText)) ?? []);
    }
    if (part.kind === "map") objects.push(...objectType(part));
    const within = part.kind === "select" ? `.${part.field}` : "";
    for (const inner of partsOf(part)) visit(inner, within);
  }
}

/** The constant part of a text: of a literal, of a literal inside `dyn(…)`, or of the beginning of a sum. */
function constantText(expression: CelExpression): ConstantText {
  if (expression.kind === "literal" && typeof expression.value === "string") {
    return { text: expression.value, isWhole: true };
  }
  if (expression.kind !== "call") return nothing;
  const [first, second] = expression.args;
  if (expression.name === "dyn" && first !== undefined) return constantText(first);
  if (expression.name !== "_+_" || first === undefined || second === undefined) return nothing;
  const left = constantText(first);
  if (!left.isWhole) return left;
  const right = constantText(second);
  return { text: left.text + right.text, isWhole: right.isWhole };
}

const nothing: ConstantText = { text: "", isWhole: false };

function objectType({ entries }: MapLiteral): { apiVersion: string; kind: string }[] {
  const fields = new Map(entries.map(({ key, value }) => [constantText(key).text, constantText(value)]));
  const apiVersion = fields.get("apiVersion"), kind = fields.get("kind");
  return apiVersion?.isWhole && kind?.isWhole ? [{ apiVersion: apiVersion.text, kind: kind.text }] : [];
}
