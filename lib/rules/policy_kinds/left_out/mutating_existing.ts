import { inBothScopes } from "../../../policy/mod.ts";
import type { mutatingExisting as full } from "../mutating_existing.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const mutatingExisting: typeof full = {
  ...leftOutKind(inBothScopes("MutatingPolicy")),
  // The kind itself reports its policies.
  applies: () => false,
};
