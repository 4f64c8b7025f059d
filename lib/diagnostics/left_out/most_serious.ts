import type * as full from "../most_serious.ts";

/** Bundles have no budget of policies, and keep every problem. */
const mostSerious: typeof full.mostSerious = (diagnostics) => diagnostics;

export { mostSerious };
