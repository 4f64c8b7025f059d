/**
 * Tests of policies (`kyverno-test.yaml`): finds, parses and runs them, and compares the results with the expected
 * ones. It reads files, so it needs Deno.
 *
 * ```ts
 * import { findTests, runTest, testRows } from "@postern/postern/testing";
 * import assert from "node:assert/strict";
 *
 * const { tests, diagnostics } = await findTests(["policies/disallow-default-namespace"], "kyverno-test.yaml");
 * assert.deepEqual(diagnostics, []);
 * for (const found of tests) {
 *   const run = await runTest(found, { dialect: "classic" });
 *   const { rows } = await testRows(run, found.test.results);
 *   assert(rows.length > 0 && rows.every(({ result }) => result === "Pass"));
 * }
 * ```
 *
 * @module
 */
export { checkRows } from "./checks.ts";
export { lineDiff } from "./line_diff.ts";
export { nameRemarks } from "./remarks.ts";
export { recordedImagesFile } from "./recorded_lookup.ts";
export { type TestRows, testRows } from "./rows.ts";
export { runTest, type TestRun } from "./run.ts";
export { readTestSelector, type TestSelector } from "./selector.ts";
export type { Expectation, TestCase } from "./test_case.ts";
export { findTestFiles, findTests, type FoundTest, type FoundTests } from "./test_files.ts";
export type { TestLookup } from "./test_ports.ts";
