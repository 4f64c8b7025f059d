import type * as full from "../variable_problems.ts";

/** `bundle` has made these checks. */
const variableProblems: typeof full.variableProblems = () => [];

export { variableProblems };
