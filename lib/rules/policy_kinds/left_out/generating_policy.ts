import { inBothScopes } from "../../../policy/mod.ts";
import type { generatingPolicy as full } from "../generating_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const generatingPolicy: typeof full = leftOutKind(inBothScopes("GeneratingPolicy"));
