/**
 * An embedded cluster and embedded services, in memory: a Kubernetes API over objects, and given answers. It runs in
 * every JavaScript runtime and uses no network.
 *
 * @module
 */
export { systemClock } from "../clock.ts";
export { EmbeddedCluster, type EmbeddedClusterOptions } from "./cluster.ts";
export type { Patch } from "./commit.ts";
export { systemEntropy } from "../entropy.ts";
export { type MockedCalls, mockedCalls, mockedEntries, mockedImages } from "./given_answers.ts";
export type { ApiUser } from "./reviews.ts";
export { systemObjects } from "./system_objects.ts";
