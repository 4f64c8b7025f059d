import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asString, field, isFault, isGiven, type Json, type JsonObject } from "../../json/mod.ts";
import { resolveReferences } from "../../template/mod.ts";
import type { RuleSource } from "../autogen.ts";
import { refusal } from "./refusal.ts";

/**
 * The variables and references for which Kyverno's webhook refuses a rule, though they have a value when Postern
 * evaluates it.
 */
export function textRefusals(source: RuleSource): PathDiagnostic[] {
  return [...strayTargets(source), ...strayElements(source), ...strayReferences(source)];
}

/** A variable that reads `target`. Each search ends at the next `{{`: authors choose how many there are. */
const targetVariable = /\{\{(?:(?!\{\{)[^}])*\btarget\./;

/** `target` has a value only in rules that change existing objects. */
function strayTargets({ rule, path }: RuleSource): PathDiagnostic[] {
  if (asList(field(rule["mutate"], "targets")).length > 0) return [];
  return targetVariable.test(JSON.stringify(rule))
    ? [refusal(path, "policy contains invalid variables: target exists only in rules with mutate.targets")]
    : [];
}

/** A variable that begins with an element of a loop. A backslash before it makes it text. */
const elementVariable = /(?:^|[^\\])\{\{\s*(element[^{}]*)\}\}/;

/** The message of a rule stands outside its loops. */
function strayElements({ rule, path }: RuleSource): PathDiagnostic[] {
  const [, variable] = elementVariable.exec(asString(field(rule["validate"], "message")) ?? "") ?? [];
  if (variable === undefined) return [];
  const message = `variable '${variable.trimEnd()}' present outside of foreach at path /validate/message`;
  return [
    refusal([...path, "validate", "message"], message, "name the element in the condition, or leave it out"),
  ];
}

/**
 * Kyverno's webhook resolves references in the whole rule, and its engine in one pattern or patch: a path from the
 * root (`$(/spec/replicas)`) leads nowhere at one of them. References that lead nowhere in their pattern are problems
 * of their own.
 */
function strayReferences({ rule, path }: RuleSource): PathDiagnostic[] {
  const found = resolveReferences(rule);
  if (!isFault(found) || evaluatedParts(rule).some((part) => isFault(resolveReferences(part)))) return [];
  const name = asString(rule["name"]) ?? "";
  const isInMessage = found.message.includes(" at path /validate/message: ");
  return [refusal(
    isInMessage ? [...path, "validate", "message"] : path,
    `policy contains invalid variables: variable substitution failed for rule ${name}: ${found.message}`,
    "a path begins with ./ and is relative to the text that names it; \\$( is text",
  )];
}

/** The parts of a rule in which references are resolved one by one. */
function evaluatedParts(rule: JsonObject): Json[] {
  return [
    rule["context"],
    rule["preconditions"],
    ...bodyParts(rule["validate"]),
    rule["mutate"],
    rule["generate"],
    rule["verifyImages"],
  ].filter(isGiven);
}

function bodyParts(body: Json | undefined): (Json | undefined)[] {
  return [
    ...["pattern", "deny", "podSecurity", "cel", "manifests", "assert"].map((name) => field(body, name)),
    ...asList(field(body, "anyPattern")),
    ...asList(field(body, "foreach")).flatMap((loop): (Json | undefined)[] => [
      field(loop, "list"),
      field(loop, "context"),
      field(loop, "preconditions"),
      ...bodyParts(loop),
    ]),
  ];
}
