/**
 * What rules do to other objects, carried out after the answer. Changes are followed as far as requests tell of them:
 * nothing here watches.
 *
 * @module
 */
export { type BackgroundOptions, BackgroundWorker } from "./background_worker.ts";
export { carryOut } from "./carry_out.ts";
export { ownUsername } from "./own_username.ts";
export { followPolicyChange } from "./policy_change.ts";
export { type DownstreamState, reconcile } from "./reconcile.ts";
export { type Change, followChange } from "./synchronize.ts";
export { existingRequest } from "./existing_request.ts";
