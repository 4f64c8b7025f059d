import { goJson, parseJsonText } from "../../json/mod.ts";
import { parseKindSelectors } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import { type BodyOf, type RuleBody, targetsOf } from "../../rules/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";

/** The checks of rules that generate. */
export const generateChecks: readonly PolicyCheck[] = [
  unservedKindProblems,
  scopeProblems,
  immutableFieldProblems,
];

/** Kyverno parity: pinned by "a generated object of a kind that is not served". */
function unservedKindProblems({ compiled: { policy } }: CheckedPolicy, { served }: CheckTools): string[] {
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
function scopeProblems({ compiled: { policy } }: CheckedPolicy, { served }: CheckTools): string[] {
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
 * An update that keeps the targets of generate rules must not change the rules otherwise; their match it may change if
 * none of them synchronized. Kyverno parity: pinned by "an update of a generate rule".
 */
function immutableFieldProblems(checked: CheckedPolicy): string[] {
  const { compiled, formerCompiled } = checked;
  if (formerCompiled === undefined || movesTargets(checked)) return [];
  const former = generating(formerCompiled.policy.rules);
  const synchronizes = former.some(({ body }) => body.synchronize);
  const present = new Set(generating(compiled.policy.rules).map((each) => identityOf(each, synchronizes)));
  return former.filter((each) => !present.has(identityOf(each, synchronizes))).map(({ rule }) =>
    `rule ${rule.name}: changes of immutable fields of a rule spec in a generate rule is disallowed; only the object ` +
    "that it generates may change: delete the policy and create it anew"
  );
}

/** Whether a target of the stored generate rules is missing in the new ones. Targets of loops are not compared. */
function movesTargets({ compiled, formerCompiled }: CheckedPolicy): boolean {
  const targets = ({ body }: Generating): string =>
    JSON.stringify(targetsOf({ ...body, patterns: body.patterns.filter(({ loop }) => loop === undefined) }));
  const present = new Set(generating(compiled.policy.rules).map(targets));
  return generating(formerCompiled?.policy.rules ?? []).some((each) => !present.has(targets(each)));
}

/**
 * Warnings for an update that changes the generated object of a rule: the rule leaves the objects that it generated
 * before as they are. Kyverno parity: the text; pinned by "an update of a generate rule".
 */
export function targetWarnings(checked: CheckedPolicy): string[] {
  return movesTargets(checked)
    ? [
      "no synchronization will be performed to the old target resource upon policy updates: " +
      "changes in the generate rule pattern could result in stale targets",
    ]
    : [];
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

/** The fields of a rule that must not change, as JSON: its match alone where it synchronizes. */
function identityOf({ rule }: Generating, synchronizes: boolean): string {
  const { match, exclude, body: _, section: _section, path: _path, failureAction: _action, ...fields } = rule;
  return goJson(parseJsonText(JSON.stringify({
    ...fields,
    exclude: exclude?.written ?? null,
    ...(synchronizes && { match: match.written }),
  })));
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
