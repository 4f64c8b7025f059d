import type * as full from "../mod.ts";

/** Only assertion trees have expressions of this dialect. */
function leftOut(): never {
  throw new Error("this bundle was made without the community's dialect of JMESPath");
}

export { Bindings } from "../bindings.ts";
export const communityCompiler: typeof full.communityCompiler = leftOut;
export const communityFunctions: typeof full.communityFunctions = leftOut;
export const communityFunctionNotes: typeof full.communityFunctionNotes = leftOut;
