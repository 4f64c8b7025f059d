/**
 * Carries out the effects of rules on other objects after the answer: the effects of requests at once, and missed
 * effects after a comparison with the cluster.
 *
 * @module
 */
export { BackgroundWork, type BackgroundWorkOptions, type LeaseSetting } from "./background_work.ts";
export { type BackgroundOptions, BackgroundWorker, type Intake } from "./background_worker.ts";
export type { JobScope } from "./request_job.ts";
export { FairQueue, type Ticket } from "./fair_queue.ts";
export { MadeObjects } from "./made_objects.ts";
export { carryOut } from "./carry_out.ts";
export { addPosternUsername } from "./postern_username.ts";
export { Leadership, type LeadershipOptions } from "./leadership.ts";
export { RulesInForce } from "./rules_in_force.ts";
export { Upkeep, type UpkeepOptions } from "./upkeep.ts";
export { type DownstreamState, reconcile } from "./reconcile.ts";
export { type Change, followChange } from "./synchronize.ts";
export { type EffectsResult, isOver } from "./effects_result.ts";
export { existingRequest } from "./existing_request.ts";
export { type ListFault, listResource, type ResourceListing } from "./list_objects.ts";
