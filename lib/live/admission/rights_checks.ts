import type { CompiledPolicy } from "../../engine/mod.ts";
import { parseKindSelectors } from "../../kube/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { Right } from "../access.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";
import { isPlain } from "./generate_checks.ts";

/** The service account needs the rights for a rule's effects before the rule comes into force. */
export const rightsChecks: readonly PolicyCheck[] = [mayGenerate, mayMutate];

const generateVerbs = ["get", "create", "update", "delete"];
const mutateVerbs = ["get", "list", "update"];

/** A kind of target, with the verbs of the rule's effects. */
interface Use {
  readonly rule: string;
  readonly kind: string;
  readonly namespace: string;
  readonly verbs: readonly string[];
}

function mayGenerate({ compiled }: CheckedPolicy, tools: CheckTools): Promise<string[]> {
  const uses = compiled.rules.flatMap(({ rule }): Use[] => {
    const { body } = rule;
    if (body.kind !== "generate") return [];
    return body.patterns.flatMap(({ pattern }) => {
      const kinds = pattern.cloneList?.kinds ?? [join(pattern.apiVersion, pattern.kind)];
      return kinds.map((kind) => ({
        rule: rule.name,
        kind: wholeKind(kind),
        namespace: pattern.namespace,
        verbs: generateVerbs,
      }));
    });
  });
  return missing(uses, compiled, tools);
}

/**
 * Kyverno parity: a rule may name a subresource, and generates the whole object. Pinned by "a generated object needs
 * the right to the resource: rights to a subresource do not count".
 */
function wholeKind(kind: string): string {
  const [selector] = isPlain(kind) ? parseKindSelectors(kind) : [];
  return selector === undefined || selector.subresource === ""
    ? kind
    : kind.slice(0, -(selector.subresource.length + 1));
}

function mayMutate({ compiled }: CheckedPolicy, tools: CheckTools): Promise<string[]> {
  const uses = compiled.rules.flatMap(({ rule }): Use[] => {
    const { body } = rule;
    if (body.kind !== "mutateExisting") return [];
    return body.targets.map(({ apiVersion, kind, namespace }) => ({
      rule: rule.name,
      kind: join(apiVersion, kind),
      namespace,
      verbs: mutateVerbs,
    }));
  });
  return missing(uses, compiled, tools);
}

async function missing(
  uses: readonly Use[],
  { policy }: CompiledPolicy,
  tools: CheckTools,
): Promise<string[]> {
  const account = tools.accounts.background;
  const problems: string[] = [];
  for (const { rule, kind, namespace, verbs } of uses.filter(({ kind }) => isPlain(kind))) {
    for (const { group, resource } of targetResources(kind, { served: tools.served, namespaced: false })) {
      if (resource === "pods/ephemeralcontainers") continue;
      const [plural = "", subresource] = resource.split("/");
      const right: Omit<Right, "verb"> = {
        group,
        resource: plural,
        ...(subresource !== undefined && { subresource }),
        ...(isPlain(namespace) && { namespace }),
      };
      const lacking: string[] = [];
      for (const verb of verbs) if (!await tools.hasRight(account, { ...right, verb })) lacking.push(verb);
      if (lacking.length > 0) {
        problems.push(
          `rule ${rule}: ${account} has no permissions to ${lacking.join(",")} ${kind}; ` +
            `grant them with a ClusterRole labelled rbac.kyverno.io/aggregate-to-background-controller: "true"`,
        );
      }
    }
  }
  return policy.rules.length === 0 ? [] : problems;
}

function join(apiVersion: string, kind: string): string {
  return [apiVersion, kind].filter((part) => part !== "").join("/");
}
