import type * as full from "../attestor_shape.ts";

/** `bundle` has compared documents with shapes. */
const attestorSetShape: typeof full.attestorSetShape = "open";
const registryCredentialsShape: typeof full.registryCredentialsShape = "open";

export { attestorSetShape, registryCredentialsShape };
