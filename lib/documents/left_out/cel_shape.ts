import type * as full from "../cel_shape.ts";

/** Only the check of shapes reads this, and `bundle` has made it. */
const celPolicySpecShape: typeof full.celPolicySpecShape = "open";

export { celPolicySpecShape };
