/**
 * `validate.manifests`: an object must equal its signed manifest. The manifest and its signatures are annotations of
 * the object. Differences are violations, except in fields that clusters write.
 *
 * With `dryRun` of the rule, an object that differs is compared with what the API server would make of the manifest,
 * too.
 *
 * @module
 */
export { compileManifestsRule, type ManifestsBody } from "./validate_manifests.ts";
