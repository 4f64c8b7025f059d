import { asObject } from "../../json/mod.ts";
import type { LocatedDocument } from "../../policy/mod.ts";
import type { RuleType } from "../rule_kind.ts";
import type { PolicyKind } from "./policy_kind.ts";
import { deletingPolicy } from "./deleting_policy.ts";
import { generatingPolicy } from "./generating_policy.ts";
import { imageDigests } from "./image_digests.ts";
import { imageValidatingPolicy } from "./image_validating.ts";
import { mutatingAdmissionPolicy } from "./mutating_admission_policy.ts";
import { mutatingExisting } from "./mutating_existing.ts";
import { mutatingPolicy } from "./mutating_policy.ts";
import { validatingAdmissionPolicy } from "./validating_admission_policy.ts";
import { validatingPolicy } from "./validating_policy.ts";

/** Every kind of CEL policy, in the order of evaluation. */
export const policyKinds: readonly PolicyKind[] = [
  mutatingAdmissionPolicy,
  mutatingPolicy,
  mutatingExisting,
  validatingAdmissionPolicy,
  validatingPolicy,
  imageValidatingPolicy,
  imageDigests,
  generatingPolicy,
  deletingPolicy,
];

/** The names of the kinds of CEL policies in an API group. */
export function policyKindNames(group: string): readonly string[] {
  return [...new Set(policyKinds.filter((each) => each.group === group).flatMap(({ kinds }) => kinds))];
}

/** The types of the rules that policies of a kind can have. */
export function ruleTypesOf({ group, kind }: Pick<LocatedDocument, "group" | "kind">): readonly RuleType[] {
  return policyKinds.filter((each) => each.group === group && each.kinds.includes(kind)).map(({ type }) =>
    type
  );
}

/** The kinds of a document, one for each of its rules; none for other documents. */
export function policyKindsOf({ group, kind, document }: LocatedDocument): readonly PolicyKind[] {
  const spec = asObject(document["spec"]) ?? {};
  return policyKinds.filter((candidate) =>
    candidate.group === group && candidate.kinds.includes(kind) && (candidate.applies?.(spec) ?? true)
  );
}

/** The position of a kind in the order of evaluation. */
export function rankOf(kind: PolicyKind): number {
  return policyKinds.indexOf(kind);
}
