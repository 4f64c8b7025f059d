/**
 * `validate.manifests`: an object must be what somebody signed. The signed manifest and its signatures are
 * annotations of the object; differences from the manifest are violations, but for fields that clusters fill in.
 *
 * It does not apply the manifest in a dry run to learn what the API server makes of it (`dryRun` of the rule).
 *
 * @module
 */
export { validateManifests } from "./validate_manifests.ts";
