import type * as full from "../entry_checks.ts";

/** `bundle` has made these checks. */
const checkQuery: typeof full.checkQuery = () => {};
const checkReference: typeof full.checkReference = () => {};

export { checkQuery, checkReference };
