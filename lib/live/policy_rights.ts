import type { Need } from "../context/mod.ts";
import type { CompiledPolicy } from "../engine/mod.ts";
import type { ServedResource } from "../ports.ts";
import { changesOthers } from "../rules/mod.ts";
import type { Right, RightAnswer } from "./access_review.ts";
import { accessOf } from "./path_access.ts";
import type { Accounts } from "./installation.ts";
import type { RoleRule } from "./needed_rights.ts";
import { scannedTargets } from "./reports/scan_targets.ts";
import { policyTargets } from "./webhooks/policy_targets.ts";

/** A right that a policy needs, and the account that needs it. */
export interface PolicyRight {
  readonly account: keyof Accounts;
  readonly right: Right;
}

const reads = ["get", "list", "watch"];

/**
 * The rights that a policy needs, as far as its text shows them: to read the objects of scans, the values of its
 * rules and its triggers, and to write its effects. Rights that every installation has are not included.
 */
export function rightsOf(compiled: CompiledPolicy, served: readonly ServedResource[]): PolicyRight[] {
  const { policy, rules, needs } = compiled;
  const scanned = policy.background
    ? scannedTargets(compiled, served).flatMap((target) => rightsTo(target, reads))
    : [];
  const effects = rules.filter(({ type }) => changesOthers(type));
  const triggers = policyTargets({ ...compiled, rules: effects }, "validate", served)
    .flatMap((target) => rightsTo(target, ["get", "list"]));
  const loaded = [...needs, ...rules.flatMap((rule) => rule.needs)].flatMap(rightsFor);
  return [
    ...scanned.map((right) => ({ account: "reports" as const, right })),
    ...[...triggers, ...loaded].map((right) => ({ account: "background" as const, right })),
  ];
}

/**
 * The rights to a resource. Subresources are left out, because reading some of them is an action: the right to `get
 * pods/exec` is the right to run commands.
 */
function rightsTo(
  { group, resource }: { readonly group: string; readonly resource: string },
  verbs: readonly string[],
): Right[] {
  const [plural = ""] = resource.split("/");
  return verbs.map((verb) => ({ verb, group, resource: plural }));
}

/** The rights to read what a rule needs. */
function rightsFor(need: Need): Right[] {
  switch (need.kind) {
    case "resource":
      return need.verbs.map((verb) => rightOf({ ...need, verb }));
    case "path": {
      const access = accessOf(need.path, need.method);
      return access === undefined || "path" in access ? [] : [rightOf(access)];
    }
    default:
      return [];
  }
}

/** The right to a resource that is named with its subresource: `pods/log`. */
function rightOf({ verb, group, resource, name }: Omit<Right, "subresource">): Right {
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
  };
}

/** Reads whether an account has a right; `undefined` when the API server does not answer. */
export type ReviewRight = (account: keyof Accounts, right: Right) => Promise<RightAnswer | undefined>;

/** The rules that are missing from the roles of an account. */
export interface MissingRules {
  readonly account: keyof Accounts;
  readonly rules: readonly RoleRule[];
}

/** The missing rights, as rules to add. When the API server does not answer, the right counts as granted. */
export async function missingRules(
  rights: readonly PolicyRight[],
  review: ReviewRight,
): Promise<MissingRules[]> {
  const distinct = new Map(rights.map((each) => [JSON.stringify(each), each]));
  const reviewed = await Promise.all(
    [...distinct.values()].map(async (each) => {
      const answer = await review(each.account, each.right);
      return answer === undefined || answer.allowed ? [] : [each];
    }),
  );
  const missing = reviewed.flat();
  return [...new Set(missing.map(({ account }) => account))].map((account) => ({
    account,
    rules: asRules(missing.filter((each) => each.account === account).map(({ right }) => right)),
  }));
}

/** Groups rights into RBAC rules: one for each resource and name, with all the verbs that the policies need. */
function asRules(rights: readonly Right[]): RoleRule[] {
  const rules = new Map<string, RoleRule>();
  for (const { group, resource, subresource, name, verb } of rights) {
    const full = subresource === undefined ? resource : `${resource}/${subresource}`;
    const key = JSON.stringify([group, full, name ?? null]);
    const verbs = rules.get(key)?.verbs ?? [];
    rules.set(key, {
      apiGroups: [group],
      resources: [full],
      ...(name !== undefined && { resourceNames: [name] }),
      verbs: [...new Set([...verbs, verb])].sort(),
    });
  }
  return [...rules.values()];
}

/** The most characters of a message: a policy may match every kind. */
const longestMessage = 1_000;

/** The rights that the policy's author must grant, as a message; empty when none are missing. */
export function missingRulesMessage(missing: readonly MissingRules[]): string {
  const texts = missing.map(({ account, rules }) =>
    `rights are missing: add to a ClusterRole labelled rbac.kyverno.io/aggregate-to-${account}-controller: "true" ` +
    rules.map((rule) => `- ${JSON.stringify(rule)}`).join(" ")
  );
  const text = texts.join("; ");
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}…`;
}
