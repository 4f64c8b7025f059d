import type { Snapshot } from "../engine/mod.ts";
import { isList, isObject, type Json } from "../json/mod.ts";
import { hasYamlPatches } from "../policy/mod.ts";

/** The facts about a bundle's policies that decide which parts the bundle needs. */
export interface PolicyFacts {
  /** The kinds of rule bodies. */
  readonly bodies: ReadonlySet<string>;
  /** The kinds of the documents, with their groups: `policies.kyverno.io/ValidatingPolicy`. */
  readonly kinds: ReadonlySet<string>;
  /** Whether any policy has match conditions for its webhook. */
  readonly hasMatchConditions: boolean;
  /** Whether the engine composes the text of a JMESPath expression at a request, or reads it from the cluster. */
  readonly composesExpressions: boolean;
  /** Whether a patch can only be parsed as YAML. */
  readonly hasYamlPatches: boolean;
  /** Whether a text calls one of the functions. */
  calls(names: readonly string[]): boolean;
  /** Whether a text or a field's name contains the words. */
  mentions(words: string): boolean;
}

/** Matches the text between a function's name and its arguments: white space, and comments of CEL. */
const beforeArguments = String.raw`(?:\s|//[^\n]*\n)*\(`;

/** Collects the facts from the documents of a bundle and from the policies that the loader compiled from them. */
export function policyFacts(
  documents: readonly Json[],
  { policies, others }: Pick<Snapshot, "policies" | "others">,
): PolicyFacts {
  const texts: string[] = [];
  let composes = false;
  for (const document of documents) collect(document, "");
  const text = texts.join("\n");
  const rules = policies.flatMap(({ policy }) => policy.rules);
  return {
    bodies: new Set(rules.map(({ body }) => body.kind)),
    kinds: new Set(others.map(({ group, kind }) => `${group}/${kind}`)),
    hasMatchConditions: policies.some(({ policy }) => policy.matchConditions.length > 0),
    hasYamlPatches: documents.some(hasYamlPatches),
    // The engine may read a GlobalContextEntry with its projections from the cluster.
    composesExpressions: composes || /globalReference|globalContext/.test(text),
    calls: (names) => new RegExp(`(?<![\\w])(?:${names.join("|")})${beforeArguments}`).test(text),
    mentions: (words) => text.includes(words),
  };

  /** Documents are as deep as the loader accepts. */
  function collect(value: Json, field: string): void {
    if (typeof value === "string") {
      texts.push(value);
      composes ||= composesExpression(value, field);
    } else if (isList(value)) {
      for (const each of value) collect(each, field);
    } else if (isObject(value)) {
      for (const [name, each] of Object.entries(value)) {
        texts.push(name);
        collect(each, name);
      }
    }
  }
}

/**
 * Whether a variable becomes text of an expression: it is inside another variable, or in a field that holds an
 * expression. A variable between quotation marks is only a text or a key.
 */
function composesExpression(text: string, field: string): boolean {
  const unquoted = text.replace(/(['"])\{\{[^{}]*\}\}\1/g, "");
  return /\{\{(?:(?!\}\})[^])*\{\{/.test(unquoted) || (field === "jmesPath" && unquoted.includes("{{"));
}
