import type * as full from "../image_shape.ts";

/** Only the check of shapes reads this, and `bundle` has made it. */
const imagePolicySpecShape: typeof full.imagePolicySpecShape = "open";

export { imagePolicySpecShape };
