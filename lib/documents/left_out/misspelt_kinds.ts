import type * as full from "../misspelt_kinds.ts";

/** `bundle` has printed the warnings. */
const misspeltKinds: typeof full.misspeltKinds = () => [];

export { misspeltKinds };
