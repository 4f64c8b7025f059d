/**
 * The sources of policies and objects: files, folders, standard input, git repositories and https addresses. They are
 * read once, one by one, or followed while they change.
 *
 * @module
 */
export { clusterObjects } from "./cluster_objects.ts";
export { type Checkout, checkout, isAddress } from "./git.ts";
export { loadDocuments } from "./load.ts";
export { FileSource } from "./file_source.ts";
export { FollowedPolicies, type LoadedPolicies, loadPolicies } from "./policies.ts";
export { policyChecksum } from "./policy_checksum.ts";
export { policyDocuments } from "./policy_documents.ts";
export { streamDocuments } from "./stream.ts";
