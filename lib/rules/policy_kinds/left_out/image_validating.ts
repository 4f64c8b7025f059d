import { inBothScopes } from "../../../policy/mod.ts";
import type { imageValidatingPolicy as full } from "../image_validating.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const imageValidatingPolicy: typeof full = leftOutKind(inBothScopes("ImageValidatingPolicy"));
