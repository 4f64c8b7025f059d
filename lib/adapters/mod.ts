/**
 * Implements the ports: a Kubernetes API over `fetch` or over objects in memory, calls to services, image registries,
 * the global context, files, clock, randomness and log. Each adapter takes its dependencies as arguments and starts
 * nothing on import.
 *
 * Not supported: `exec` and `auth-provider` plugins of kubeconfig files, certificates that replace (and do
 * not add to) the runtime's roots, and connections that skip the check of certificates.
 *
 * @module
 */
export {
  type ApiUser,
  EmbeddedCluster,
  type EmbeddedClusterOptions,
  type FailedAnswer,
  type Patch,
  systemClock,
  systemEntropy,
  systemObjects,
} from "../embedded/mod.ts";
export { type ClusterFromFiles, clusterFromFiles } from "./cluster_files.ts";
export { eventLoopScheduler } from "./scheduler.ts";
export {
  type FileText,
  findFiles,
  type FoundFile,
  type FoundFiles,
  type ReadFiles,
  readFiles,
  type ReadFilesOptions,
} from "./files.ts";
export { ClusterGlobalEntries, type GlobalEntriesOptions } from "./global_entries.ts";
export { type EntryState, WatchedGlobalEntries } from "./watched_global_entries.ts";
export { AnswerMemory, type AnswerMemoryOptions } from "./answer_memory.ts";
export { HttpClient, type HttpOptions } from "./http.ts";
export { LineBatch } from "./line_batch.ts";
export { environmentVariable } from "./environment.ts";
export { jsonLog, type JsonLogOptions, type LogLevel, writeToStandardError } from "./log.ts";
export {
  type Endpoint,
  inClusterEndpoint,
  type InClusterInput,
  kubeconfigEndpoint,
  type KubeconfigInput,
} from "./kubeconfig.ts";
export { AggregatedDiscovery } from "./aggregated_discovery.ts";
export { LiveCollections, type LiveCollectionsOptions } from "./live_collections.ts";
export { LiveCluster, type LiveClusterOptions } from "./live_cluster.ts";
export { ImageRegistry, type ImageRegistryOptions } from "./registry/image_registry.ts";
export { type AddressCheck, serviceAddresses } from "./service_addresses.ts";
export { type AddressRule, registryAddresses, type RegistryAddressOptions } from "./registry/addresses.ts";
export { ImageRecorder, type ImageSource, RecordedImages } from "./registry/recording.ts";
export { type DockerLogins, dockerLogins } from "./registry/docker_config.ts";
export { pullSecretLogins } from "./registry/pull_secrets.ts";
export type { Login, RegistryLogins } from "./registry/token.ts";
export {
  bundledTrustedRoot,
  fetchTrustedRoot,
  ImageSignatures,
  type ImageSignaturesOptions,
  readTrustedRoot,
  type TrustedRootText,
  type TrustSource,
  unusableSigner,
} from "./signatures/mod.ts";
export { type FollowedCluster, WatchedCluster, type WatchedClusterOptions } from "./watched_cluster.ts";
