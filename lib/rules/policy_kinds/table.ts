import type { LocatedDocument } from "../../policy/mod.ts";
import type { PolicyKind } from "./policy_kind.ts";
import { generatingPolicy } from "./generating_policy.ts";
import { mutatingAdmissionPolicy } from "./mutating_admission_policy.ts";
import { mutatingPolicy } from "./mutating_policy.ts";
import { validatingAdmissionPolicy } from "./validating_admission_policy.ts";
import { validatingPolicy } from "./validating_policy.ts";

/** Every kind of policy that is written in CEL, in the order in which they are evaluated. */
const policyKinds: readonly PolicyKind[] = [
  mutatingAdmissionPolicy,
  mutatingPolicy,
  validatingAdmissionPolicy,
  validatingPolicy,
  generatingPolicy,
];

/** The kind of a document; `undefined` when it is no policy of such a kind. */
export function findPolicyKind({ group, kind }: LocatedDocument): PolicyKind | undefined {
  return policyKinds.find((candidate) => candidate.group === group && candidate.kinds.includes(kind));
}

/** Where a kind stands in the order of evaluation. */
export function rankOf(kind: PolicyKind): number {
  return policyKinds.indexOf(kind);
}
