import type { CompiledPolicy } from "../engine/mod.ts";
import { resourcesOfRule } from "../match/mod.ts";
import type { Right, RightAnswer } from "./access_review.ts";

/** Reads whether the account that reports has a right. */
export type ReadRight = (right: Right) => Promise<RightAnswer | undefined>;

const verbs = ["get", "list", "watch"];

/**
 * The rights that the reporting account lacks for the resources that a policy of policies.kyverno.io matches, in
 * Kyverno's words: a verb, the resource, and the API server's reason. When the API server does not answer, the right
 * counts as granted.
 */
export async function missingRights(
  { policy, rules }: CompiledPolicy,
  readRight: ReadRight,
): Promise<string[]> {
  if (!policy.background) return [];
  const resources = rules.find(({ rule }) => rule.generatedFor === undefined)?.selector.resources ?? [];
  const missing: string[] = [];
  for (const { group, version, resource } of resources.flatMap(resourcesOfRule)) {
    const [plural = "", subresource] = resource.split("/");
    const right = { group, resource: plural, ...(subresource !== undefined && { subresource }) };
    for (const verb of verbs) {
      const answer = await readRight({ ...right, verb });
      if (answer === undefined || answer.allowed) continue;
      missing.push(`${verb} ${group}/${version}, Resource=${resource}: ${answer.reason}`);
    }
  }
  return missing;
}
