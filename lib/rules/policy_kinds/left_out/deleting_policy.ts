import { inBothScopes } from "../../../policy/mod.ts";
import type { deletingPolicy as full } from "../deleting_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const deletingPolicy: typeof full = leftOutKind(inBothScopes("DeletingPolicy"));
