/**
 * Implements the ports: a Kubernetes API over `fetch`, calls to services, the global context, files, clock, randomness
 * and log. `lib/registries` implements those about images, `lib/embedded` has a cluster in memory. Each adapter takes
 * its dependencies as arguments and starts nothing on import.
 *
 * Not supported: `exec` and `auth-provider` plugins of kubeconfig files, certificates that replace (and do
 * not add to) the runtime's roots, and connections that skip the check of certificates.
 *
 * @module
 */
export { systemClock } from "../clock.ts";
export { systemEntropy } from "../entropy.ts";
export { eventLoopScheduler, separateScheduler } from "./scheduler.ts";
export { type FileText, findFiles, type ReadFiles, readFiles } from "./files.ts";
export { ClusterGlobalEntries } from "./global_entries.ts";
export type { CompileProjection } from "./entry_projections.ts";
export type { EntryState } from "./kept_entry.ts";
export { WatchedGlobalEntries } from "./watched_global_entries.ts";
export { ObjectBudget } from "./object_budget.ts";
export { addressesOf, type AddressLookup, addressToCall } from "./addresses_of.ts";
export { AnswerMemory } from "./answer_memory.ts";
export { HttpClient, type HttpOptions } from "./http.ts";
export { LineBatch, linesLost } from "./line_batch.ts";
export { environmentVariable } from "./environment.ts";
export { jsonLog, type LogLevel, writeToStandardError } from "./log.ts";
export { type Endpoint, inClusterEndpoint, kubeconfigEndpoint } from "./kubeconfig.ts";
export { AggregatedDiscovery } from "./aggregated_discovery.ts";
export { LiveCollections } from "./live_collections.ts";
export { LiveCluster, type LiveClusterOptions } from "./live_cluster.ts";
export { type AddressVerdict, serviceAddresses } from "./service_addresses.ts";
export { unlessAborted } from "./deadline.ts";
export { TaskTurns } from "./task_turns.ts";
export { PinnedClients } from "./pinned_clients.ts";
export { RenewedClient } from "./renewed_client.ts";
export { Recovery } from "./recovery.ts";
export { retryAfter, withRetries } from "./retry.ts";
export { SharedLoads } from "./shared_loads.ts";
export { type FloodMeter, FloodWatch } from "./flood_watch.ts";
export { causeOf, send, type Sent } from "./transport.ts";
export { type FollowedCluster, WatchedCluster, type WatchedClusterOptions } from "./watched_cluster.ts";
