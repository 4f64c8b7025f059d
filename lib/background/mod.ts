/**
 * Effects of rules on other objects, carried out after the answer: those of requests at once, and those that requests
 * missed after a look at the cluster.
 *
 * @module
 */
export { BackgroundWork, type BackgroundWorkOptions } from "./background_work.ts";
export { type BackgroundOptions, BackgroundWorker } from "./background_worker.ts";
export { carryOut } from "./carry_out.ts";
export { posternUsername } from "./postern_username.ts";
export { Leadership, type LeadershipOptions } from "./leadership.ts";
export { RulesInForce } from "./rules_in_force.ts";
export { Upkeep, type UpkeepOptions } from "./upkeep.ts";
export { type DownstreamState, reconcile } from "./reconcile.ts";
export { type Change, followChange } from "./synchronize.ts";
export { isOver, type WorkOutcome } from "./work_outcome.ts";
export { existingRequest } from "./existing_request.ts";
