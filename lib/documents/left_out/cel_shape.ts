import type * as full from "../cel_shape.ts";

/** Only the check of documents reads this shape, and `bundle` has checked them already. */
const celPolicySpecShape: typeof full.celPolicySpecShape = "open";

export { celPolicySpecShape };
