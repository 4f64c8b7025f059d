import { dig, equal, type Json } from "../../json/mod.ts";
import { parseKindSelectors } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import { type BodyOf, type RuleBody, targetsOf } from "../../rules/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";

/** The checks of rules that generate. */
export const generateChecks: readonly PolicyCheck[] = [
  usesPresentFields,
  makesServedKinds,
  staysInItsScope,
  keepsItsTriggers,
];

function usesPresentFields({ compiled: { policy } }: CheckedPolicy): string[] {
  return dig(policy.document, "spec", "generateExistingOnPolicyUpdate") === undefined
    ? []
    : ["spec.generateExistingOnPolicyUpdate is no longer read: use generateExisting of the rule"];
}

/** Kyverno parity: pinned by "a generated object of a kind that is not served". */
function makesServedKinds({ compiled: { policy } }: CheckedPolicy, { served }: CheckTools): string[] {
  if (served.length === 0) return []; // The API server did not list its resources.
  return generating(policy.rules).flatMap(({ rule, body }) =>
    body.patterns.flatMap(({ pattern }) => kindsOf(pattern)).filter((kind) =>
      isPlain(kind) && targetResources(wholeKind(kind), { served, namespaced: false }).length === 0
    ).map((kind) => `rule ${rule.name}: failed to get GVR for kind ${kind}`)
  );
}

/**
 * Kyverno parity: a list of clones is all in namespaces or all cluster-wide; pinned by "clones of two scopes are
 * refused".
 */
function staysInItsScope({ compiled: { policy } }: CheckedPolicy, { served }: CheckTools): string[] {
  return generating(policy.rules).flatMap(({ rule, body }) =>
    body.patterns.flatMap(({ pattern }) => {
      const scopes = new Set(
        kindsOf(pattern).filter(isPlain).flatMap((kind) =>
          targetResources(kind, { served, namespaced: false })
        ).map((
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
    generating(formerCompiled.policy.rules).map((each) => [each.rule.name, targetsOf(each.body)]),
  );
  const moved = generating(compiled.policy.rules).some((each) => {
    const target = former.get(each.rule.name);
    return target !== undefined && !equal(target, targetsOf(each.body));
  });
  return moved ? ["no synchronization will be performed to the old target resource upon policy updates"] : [];
}

/** Warnings for rules whose source depends on the trigger: a change of the source does not reach its copies. */
export function cloneWarnings({ compiled: { policy } }: CheckedPolicy): string[] {
  return generating(policy.rules).flatMap(({ rule, body }) =>
    body.patterns.filter(({ pattern: { apiVersion, kind, clone, cloneList } }) =>
      JSON.stringify([apiVersion, kind, clone, cloneList]).includes("{{")
    ).map(() => {
      const index = rule.path.at(-1);
      return `variables in spec.rules[${index}].clone/cloneList would lead to incorrect synchronization behavior`;
    })
  );
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

/** The kinds of the objects that a pattern makes. */
export function kindsOf({ apiVersion, kind, cloneList }: GeneratePattern): readonly string[] {
  return cloneList?.kinds ?? [[apiVersion, kind].filter((part) => part !== "").join("/")];
}

type GeneratePattern = BodyOf<"generate">["patterns"][number]["pattern"];

/**
 * Kyverno parity: a rule may name a subresource, and generates the whole object. Pinned by "a generated object needs
 * the right to the resource: rights to a subresource do not count".
 */
export function wholeKind(kind: string): string {
  const [selector] = isPlain(kind) ? parseKindSelectors(kind) : [];
  return selector === undefined || selector.subresource === ""
    ? kind
    : kind.slice(0, -(selector.subresource.length + 1));
}

/** Whether the text of a kind has no variables. */
export function isPlain(kind: string): boolean {
  return kind !== "" && !kind.includes("{{");
}
