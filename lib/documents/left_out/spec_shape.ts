import type * as full from "../spec_shape.ts";

/** Only the check of documents reads these shapes, and `bundle` has checked them already. */
const policySpecShape: typeof full.policySpecShape = "open";
const exceptionSpecShape: typeof full.exceptionSpecShape = "open";

export { exceptionSpecShape, policySpecShape };
