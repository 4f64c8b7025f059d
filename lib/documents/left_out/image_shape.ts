import type * as full from "../image_shape.ts";

/** Only the check of documents reads this shape, and `bundle` has checked them already. */
const imagePolicySpecShape: typeof full.imagePolicySpecShape = "open";

export { imagePolicySpecShape };
