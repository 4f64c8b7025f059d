/**
 * The command line: one file a command, over the same engine as the server.
 *
 * @module
 */
export { type Applied, type ApplyOptions, applyPolicies } from "./apply.ts";
export { writeOutputs } from "./output.ts";
export { openList, parseUserInfo } from "./documents.ts";
export { type GivenUser, resourceRequest, withNamespace } from "./resource_request.ts";
export { run } from "./program.ts";
export { findTests, type FoundTest, type FoundTests } from "./test_files.ts";
export { type Expectation, type TestCase } from "./test_case.ts";
export { runTest, type TestRun } from "./test_run.ts";
export { type TestRows, testRows } from "./test_rows.ts";
export { noValues, parseValues, type Values } from "./values.ts";
