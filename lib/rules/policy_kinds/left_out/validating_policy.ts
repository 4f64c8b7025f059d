import { inBothScopes } from "../../../policy/mod.ts";
import type { validatingPolicy as full } from "../validating_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const validatingPolicy: typeof full = leftOutKind(inBothScopes("ValidatingPolicy"));
