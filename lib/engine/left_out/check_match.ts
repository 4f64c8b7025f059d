import type * as full from "../check_match.ts";

/** `bundle` has made these checks. */
const matchProblems: typeof full.matchProblems = () => [];

export { matchProblems };
