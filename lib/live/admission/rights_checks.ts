import { hasWildcard } from "../../kube/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { Right } from "../access_review.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";
import { isPlain, kindsOf, wholeKind } from "./generate_checks.ts";
import { isScanned, writtenRules } from "./policy_rules.ts";

/** The service account needs the rights for a rule's effects before the rule comes into force. */
export const rightsChecks: readonly PolicyCheck[] = [generateRightProblems, mutateRightProblems];

const generateVerbs = ["get", "create"];
/** Generated objects that follow their source are also changed, and deleted with it. */
const synchronizeVerbs = [...generateVerbs, "update", "delete"];
const mutateVerbs = ["get", "list", "update"];
/** A subresource is not listed. */
const subresourceVerbs = ["get", "update"];

/** A kind of target, with the verbs of the rule's effects. */
interface Use {
  readonly rule: string;
  readonly kind: string;
  readonly namespace: string;
  readonly verbs: readonly string[];
}

function generateRightProblems({ compiled }: CheckedPolicy, tools: CheckTools): Promise<string[]> {
  const uses = compiled.rules.flatMap(({ rule }): Use[] => {
    const { body } = rule;
    if (body.kind !== "generate") return [];
    return body.patterns.flatMap(({ pattern }) =>
      kindsOf(pattern).map((kind) => ({
        rule: rule.name,
        kind: wholeKind(kind),
        namespace: pattern.namespace,
        verbs: body.synchronize ? synchronizeVerbs : generateVerbs,
      }))
    );
  });
  return missing(uses, tools);
}

function mutateRightProblems({ compiled }: CheckedPolicy, tools: CheckTools): Promise<string[]> {
  const uses = compiled.rules.flatMap(({ rule }): Use[] => {
    const { body } = rule;
    if (body.kind !== "mutateExisting") return [];
    return body.targets.map(({ apiVersion, kind, namespace }) => ({
      rule: rule.name,
      kind: join(apiVersion, kind),
      namespace,
      verbs: wholeKind(kind) === kind ? mutateVerbs : subresourceVerbs,
    }));
  });
  return missing(uses, tools);
}

async function missing(uses: readonly Use[], tools: CheckTools): Promise<string[]> {
  const account = tools.accounts.background;
  const problems: string[] = [];
  for (const { rule, kind, namespace, verbs } of uses.filter(({ kind }) => isPlain(kind))) {
    for (const lacking of await lackingVerbs({ account, kind, namespace, verbs }, tools)) {
      problems.push(
        `rule ${rule}: ${account} has no permissions to ${lacking.join(",")} ${kind}; ` +
          `grant them with a ClusterRole labelled rbac.kyverno.io/aggregate-to-background-controller: "true"`,
      );
    }
  }
  return problems;
}

/** The verbs that an account needs for a kind. */
interface Needed extends Omit<Use, "rule"> {
  readonly account: string;
}

/** The verbs that an account lacks, for each resource of the kind for which it lacks some. */
async function lackingVerbs(
  { account, kind, namespace, verbs }: Needed,
  { served, hasRight }: CheckTools,
): Promise<string[][]> {
  const lacking: string[][] = [];
  for (const { group, resource } of targetResources(kind, { served, namespaced: false })) {
    if (resource === "pods/ephemeralcontainers") continue;
    const [plural = "", subresource] = resource.split("/");
    const right: Omit<Right, "verb"> = {
      group,
      resource: plural,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== "" && isPlain(namespace) && { namespace }),
    };
    const verbsHere: string[] = [];
    for (const verb of verbs) if (!await hasRight(account, { ...right, verb })) verbsHere.push(verb);
    if (verbsHere.length > 0) lacking.push(verbsHere);
  }
  return lacking;
}

const reportVerbs = ["get", "list", "watch"];

/**
 * Warnings for rules whose objects the reporting account may not read: the background scan leaves them out. Kyverno
 * parity: the text; pinned by "a rule about a kind that the scan may not read gives a warning".
 */
export async function reportWarnings({ compiled }: CheckedPolicy, tools: CheckTools): Promise<string[]> {
  if (!compiled.policy.background) return [];
  const account = tools.accounts.reports;
  const rules = writtenRules(compiled).filter(isScanned);
  const kinds = new Set(
    rules.flatMap(({ match }) => match.filters.flatMap(({ resources }) => resources.kinds)),
  );
  const warnings: string[] = [];
  for (const kind of kinds) {
    if (hasWildcard(kind)) continue;
    for (const lacking of await lackingVerbs({ account, kind, namespace: "", verbs: reportVerbs }, tools)) {
      warnings.push(`${account} requires permissions ${lacking.join(",")} for resource ${kind}`);
    }
  }
  return warnings;
}

function join(apiVersion: string, kind: string): string {
  return [apiVersion, kind].filter((part) => part !== "").join("/");
}
