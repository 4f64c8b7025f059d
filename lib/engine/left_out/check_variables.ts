import type * as full from "../check_variables.ts";

/** `bundle` has made these checks. */
const variableProblems: typeof full.variableProblems = () => [];

export { variableProblems };
