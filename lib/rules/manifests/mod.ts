/**
 * `validate.manifests`: an object must be what somebody signed. The signed manifest and its signatures are
 * annotations of the object; differences from the manifest are violations, but for fields that clusters fill in.
 *
 * With `dryRun` of the rule, an object that differs is compared with what the API server would make of the manifest, too.
 *
 * @module
 */
export { validateManifests } from "./validate_manifests.ts";
