/**
 * Where policies and objects come from: files, folders, standard input, git repositories and https addresses, read once,
 * one by one, or followed while they change.
 *
 * @module
 */
export { type ClusterObject, clusterObjects, type ClusterObjectsOptions } from "./cluster_objects.ts";
export { type Checkout, checkout, type GitOptions, isAddress } from "./git.ts";
export { loadDocuments, type LoadedDocuments } from "./load.ts";
export { diagnosticLines, type LoadedPolicies, loadPolicies, PolicyFiles } from "./policies.ts";
export { policyDocuments } from "./policy_documents.ts";
export { streamDocuments, type StreamedDocument, type StreamOptions } from "./stream.ts";
