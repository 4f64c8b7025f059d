/**
 * Tests of policies (`kyverno-test.yaml`): found, read, run, and compared with what they expect.
 *
 * @module
 */
export { checkRows } from "./checks.ts";
export { lineDiff } from "./line_diff.ts";
export { mockedImages } from "./mocks.ts";
export { nameRemarks } from "./remarks.ts";
export { type TestRows, testRows } from "./rows.ts";
export { runTest, type TestRun } from "./run.ts";
export { readTestSelector, type TestSelector } from "./selector.ts";
export type { Expectation, TestCase } from "./test_case.ts";
export { findTestFiles, findTests, type FoundTest, type FoundTests } from "./test_files.ts";
