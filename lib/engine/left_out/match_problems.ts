import type * as full from "../match_problems.ts";

/** `bundle` has made these checks. */
const matchProblems: typeof full.matchProblems = () => [];
const constraintProblems: typeof full.constraintProblems = () => [];

export { constraintProblems, matchProblems };
