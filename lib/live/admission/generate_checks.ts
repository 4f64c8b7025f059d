import { dig, equal, type Json } from "../../json/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import type { BodyOf, RuleBody } from "../../rules/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";

/** The checks of rules that generate. */
export const generateChecks: readonly PolicyCheck[] = [usesPresentFields, staysInItsScope, keepsItsTriggers];

function usesPresentFields({ compiled: { policy } }: CheckedPolicy): string[] {
  return dig(policy.document, "spec", "generateExistingOnPolicyUpdate") === undefined
    ? []
    : ["spec.generateExistingOnPolicyUpdate is no longer read: use generateExisting of the rule"];
}

/**
 * Kyverno parity: a list of clones is all in namespaces or all cluster-wide; pinned by "clones of two scopes are
 * refused".
 */
function staysInItsScope({ compiled: { policy } }: CheckedPolicy, { served }: CheckTools): string[] {
  return generating(policy.rules).flatMap(({ rule, body }) =>
    body.patterns.flatMap(({ pattern }) => {
      const kinds = pattern.cloneList?.kinds ??
        [[pattern.apiVersion, pattern.kind].filter(Boolean).join("/")];
      const scopes = new Set(
        kinds.filter(isPlain).flatMap((kind) => targetResources(kind, { served, namespaced: false })).map((
          { scope },
        ) => scope),
      );
      if (scopes.size > 1) {
        return [`rule ${rule.name}: it cannot clone namespaced and cluster-wide kinds at once`];
      }
      return policy.namespace !== undefined && scopes.has("*")
        ? [`rule ${rule.name}: a Policy cannot generate cluster-wide objects`]
        : [];
    })
  );
}

/**
 * An update must not change the name or match of a generate rule. It may change the generated object and `synchronize`.
 * Kyverno parity: pinned by "a generate rule keeps its name and match, and another target gives a warning".
 */
function keepsItsTriggers({ compiled, formerCompiled }: CheckedPolicy): string[] {
  if (formerCompiled === undefined) return [];
  const former = generating(formerCompiled.policy.rules).map(identityOf);
  const present = generating(compiled.policy.rules);
  if (former.length === 0 || present.length !== former.length) return [];
  return present.filter((each) => !former.some((other) => equal(other, identityOf(each))))
    .map(({ rule }) =>
      `rule ${rule.name}: change of immutable fields for a generate rule is disallowed; only what it generates may ` +
      "change: delete the policy and create it anew"
    );
}

/**
 * Warnings for an update that changes the generated object of a rule: the rule leaves the objects that it generated
 * before as they are.
 */
export function targetWarnings({ compiled, formerCompiled }: CheckedPolicy): string[] {
  if (formerCompiled === undefined) return [];
  const former = new Map(
    generating(formerCompiled.policy.rules).map((each) => [each.rule.name, targetOf(each)]),
  );
  const moved = generating(compiled.policy.rules).some((each) => {
    const target = former.get(each.rule.name);
    return target !== undefined && !equal(target, targetOf(each));
  });
  return moved ? ["no synchronization will be performed to the old target resource upon policy updates"] : [];
}

interface Generating {
  readonly rule: Rule;
  readonly body: BodyOf<"generate">;
}

function generating(rules: readonly Rule<RuleBody>[]): Generating[] {
  return rules.flatMap((rule) => {
    const { body } = rule;
    return rule.generatedFor === undefined && body.kind === "generate" ? [{ rule, body }] : [];
  });
}

/** The fields of a rule that must not change, as JSON. */
function identityOf({ rule }: Generating): Json {
  const { name, match, exclude, preconditions } = rule;
  return JSON.parse(JSON.stringify({
    name,
    match: match.written,
    exclude: exclude?.written ?? null,
    preconditions: preconditions ?? null,
  }));
}

/** The target of a generate rule, without its data. */
function targetOf({ body }: Generating): Json {
  const targets = body.patterns.map(({ pattern: { data: _data, ...pattern } }) => pattern);
  return JSON.parse(JSON.stringify(targets));
}

/** Whether the text of a kind has no variables. */
export function isPlain(kind: string): boolean {
  return kind !== "" && !kind.includes("{{");
}
