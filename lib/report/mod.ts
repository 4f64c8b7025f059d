/**
 * Decisions in words: one formatter an output. The engine builds no text for users; what a user reads comes from here.
 *
 * @module
 */
export { type AdmissionResponse, admissionResponse, admissionReview, denialMessage } from "./admission.ts";
export { type Explanation, explanationObject, explanationText } from "./explanation.ts";
export {
  clusterReport,
  type ReportedResult,
  reportedResult,
  type ReportSummary,
  summarise,
} from "./policy_report.ts";
export { scanLine, scanObject } from "./scan_report.ts";
export {
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  type TestStyle,
  testTable,
  type TestTableOptions,
} from "./test_report.ts";
