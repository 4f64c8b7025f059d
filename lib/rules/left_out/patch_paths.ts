import type * as full from "../patch_paths.ts";

/** `bundle` has made this check. */
const pathProblems: typeof full.pathProblems = () => [];
/** The operations are read for checks only. */
const readOperations: typeof full.readOperations = () => [];

export { pathProblems, readOperations };
