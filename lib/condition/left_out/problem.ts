import type * as full from "../problem.ts";

/** `bundle` has made these checks. */
const operatorProblems: typeof full.operatorProblems = () => [];
const templateProblems: typeof full.templateProblems = () => [];

export { operatorProblems, templateProblems };
