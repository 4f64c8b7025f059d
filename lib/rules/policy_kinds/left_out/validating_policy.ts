import type { validatingPolicy as full } from "../validating_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const validatingPolicy: typeof full = leftOutKind({
  group: "policies.kyverno.io",
  kinds: ["ValidatingPolicy", "NamespacedValidatingPolicy"],
});
