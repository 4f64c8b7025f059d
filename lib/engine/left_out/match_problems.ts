import type * as full from "../match_problems.ts";

/** `bundle` has made these checks. */
const matchProblems: typeof full.matchProblems = () => [];

export { matchProblems };
