/**
 * The sources of policies and objects: files, folders, standard input, git repositories and https addresses. They are
 * read once, one by one, or followed while they change.
 *
 * @module
 */
export { type ClusterObject, clusterObjects, type ClusterObjectsOptions } from "./cluster_objects.ts";
export { type Checkout, checkout, type GitOptions, isAddress } from "./git.ts";
export { loadDocuments, type LoadedDocuments } from "./load.ts";
export { FileSource, type FileSourceOptions } from "./file_source.ts";
export {
  FollowedPolicies,
  type FollowedPoliciesOptions,
  type LoadedPolicies,
  loadPolicies,
} from "./policies.ts";
export { policyChecksum } from "./policy_checksum.ts";
export type { PolicySource } from "./policy_source.ts";
export { policyDocuments } from "./policy_documents.ts";
export { streamDocuments, type StreamedDocument, type StreamOptions } from "./stream.ts";
