import { inBothScopes } from "../../../policy/mod.ts";
import type { mutatingPolicy as full } from "../mutating_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const mutatingPolicy: typeof full = leftOutKind(inBothScopes("MutatingPolicy"));
