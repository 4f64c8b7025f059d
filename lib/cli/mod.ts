/**
 * The command line: one file a command, over the same engine as the server.
 *
 * @module
 */
export { type Applied, type ApplyOptions, applyPolicies } from "./apply.ts";
export { openList, parseUserInfo } from "./documents.ts";
export { type GivenUser, resourceRequest, withNamespace } from "./resource_request.ts";
export { run } from "./program.ts";
export { noValues, parseValues, type Values } from "./values.ts";
