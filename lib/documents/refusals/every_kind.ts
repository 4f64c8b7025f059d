import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  field,
  isGiven,
  isList,
  type Json,
  parseJsonText,
  textField,
} from "../../json/mod.ts";
import { type ClassicPolicy, writtenFilters } from "../../policy/mod.ts";
import type { RuleSource } from "../autogen.ts";
import { refusal } from "./refusal.ts";

/**
 * The parts of a rule about every kind (`*`) that are refused: what a rule may read or change of an object of any kind
 * is its metadata.
 */
export function everyKindRefusals(
  { rule, path }: RuleSource,
  { background }: ClassicPolicy,
): PathDiagnostic[] {
  const lists = [...writtenFilters(rule, "match"), ...writtenFilters(rule, "exclude")].map((written) => ({
    kinds: asTexts(field(field(written.filter, "resources"), "kinds")),
    at: [...path, ...written.path, "resources", "kinds"],
  })).filter(({ kinds }) => kinds.includes("*"));
  return lists.flatMap(({ kinds, at }) => {
    const message = problemOf(rule, { background, others: kinds.length - 1 });
    return message === undefined ? [] : [refusal(at, message, hints[message])];
  });
}

const messages = {
  background:
    "wildcard policy not allowed in background mode. Set spec.background=false to disable background mode for this " +
    "policy rule",
  others: "wildcard policy can not deal with more than one kind",
  type: "wildcard policy does not support rule type",
  metadata:
    "policy can only deal with the metadata field of the resource if the rule does not match any kind",
} as const;

const hints: Readonly<Record<string, string>> = {
  [messages.background]: 'set spec.background to false, or name the kinds in place of "*"',
  [messages.others]: 'write "*" alone, or leave it out',
  [messages.type]: 'name the kinds in place of "*"',
  [messages.metadata]: 'name the kinds in place of "*"',
};

function problemOf(
  rule: RuleSource["rule"],
  { background, others }: { readonly background: boolean; readonly others: number },
): string | undefined {
  if (background) return messages.background;
  if (others > 0) return messages.others;
  const { validate, mutate, generate, verifyImages } = rule;
  if (isGiven(generate) || asList(verifyImages).length > 0 || isGiven(field(validate, "foreach"))) {
    return messages.type;
  }
  const documents = [
    field(validate, "pattern"),
    ...asList(field(validate, "anyPattern")),
    field(mutate, "patchStrategicMerge"),
  ];
  const isMetadata =
    documents.every((document) => Object.keys(asObject(document) ?? {}).every((key) => key === "metadata")) &&
    patchPaths(field(mutate, "patchesJson6902")).every((to) => to.startsWith("/metadata")) &&
    keysOfList(field(field(validate, "deny"), "conditions")).every(isAboutMetadata);
  return isMetadata ? undefined : messages.metadata;
}

/** The paths of a JSON patch. Kyverno parity: it reads no patch in YAML here. Pinned by "policy is accepted:". */
function patchPaths(patch: Json | undefined): string[] {
  try {
    return asList(parseJsonText(asString(patch) ?? "[]")).map((each) => textField(each, "path"));
  } catch {
    return [];
  }
}

/**
 * The keys of conditions in the older form, a list. Kyverno parity: it looks at no others. Pinned by "policy is
 * accepted:".
 */
function keysOfList(conditions: Json | undefined): string[] {
  return isList(conditions ?? null) ? asList(conditions).map((each) => textField(each, "key")) : [];
}

const requestVariable = /\{\{\s*(?:request\.|serviceAccountName|serviceAccountNamespace)[^{}]*\}\}/;

function isAboutMetadata(key: string): boolean {
  return key.includes("request.object.metadata.") ||
    (requestVariable.test(key) && !key.includes("request.object.spec"));
}
