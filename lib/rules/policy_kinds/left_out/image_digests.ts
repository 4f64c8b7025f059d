import { inBothScopes } from "../../../policy/mod.ts";
import type { imageDigests as full } from "../image_digests.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const imageDigests: typeof full = leftOutKind(inBothScopes("ImageValidatingPolicy"));
