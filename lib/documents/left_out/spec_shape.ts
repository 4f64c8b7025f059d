import type * as full from "../spec_shape.ts";

/** Only the check of shapes reads these, and `bundle` has made it. */
const policySpecShape: typeof full.policySpecShape = "open";
const exceptionSpecShape: typeof full.exceptionSpecShape = "open";

export { exceptionSpecShape, policySpecShape };
