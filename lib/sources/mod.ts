/**
 * Where policies come from: files and folders, read once or followed while they change.
 *
 * @module
 */
export { loadDocuments } from "./load.ts";
export { diagnosticLines, type LoadedPolicies, loadPolicies, PolicyFiles } from "./policies.ts";
export { policyDocuments } from "./policy_documents.ts";
