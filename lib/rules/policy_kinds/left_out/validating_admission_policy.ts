import type { validatingAdmissionPolicy as full } from "../validating_admission_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const validatingAdmissionPolicy: typeof full = leftOutKind({
  group: "admissionregistration.k8s.io",
  kinds: ["ValidatingAdmissionPolicy"],
});
