/**
 * `validate.manifests`: an object must be what somebody signed. The signed manifest and its signatures are annotations of
 * the object; what differs from the manifest is told, but for fields that clusters fill in.
 *
 * It does not apply the manifest in a dry run to learn what the API server makes of it (`dryRun` of the rule).
 *
 * @module
 */
export { validateManifests } from "./validate_manifests.ts";
