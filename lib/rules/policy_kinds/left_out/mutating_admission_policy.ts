import type { mutatingAdmissionPolicy as full } from "../mutating_admission_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const mutatingAdmissionPolicy: typeof full = leftOutKind({
  group: "admissionregistration.k8s.io",
  kinds: ["MutatingAdmissionPolicy"],
});
