import type * as full from "../refusals.ts";

/** Policies of a bundle are not stored by it, and only commands refuse users in background scans. */
const refusals: typeof full.refusals = () => [];
const usersInBackground: typeof full.usersInBackground = () => [];

export { refusals, usersInBackground };
