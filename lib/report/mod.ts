/**
 * Decisions as text: one formatter for each output. The engine makes no text for users; this folder does.
 *
 * @module
 */
export { type AdmissionResponse, admissionResponse, admissionReview, denialMessage } from "./admission.ts";
export { type EventReason, eventReasons, rowResults } from "./cluster_words.ts";
export { explanationPage } from "./explanation_html.ts";
export { type Explanation, explanationObject, explanationText } from "./explanation.ts";
export { isForOtherController, ruleLines } from "./rule_explanation.ts";
export type { ReportedObject, ReportEnd, ReportOptions, ReportWriter } from "./formats/format.ts";
export { reportFormats } from "./formats/formats.ts";
export { type ReportRow, rowsOf } from "./formats/row.ts";
export {
  messageOf,
  type ReportedResult,
  reportedResult,
  reportResult,
  type ReportSummary,
} from "./policy_report.ts";
export { reviewedResource } from "./reviewed_resource.ts";
export { payloadReport, type PolicyScan, scanLine, scanObject } from "./scan_report.ts";
export { type TestAnnotationOptions, testGithub, testSarif } from "./test_annotations.ts";
export {
  tableParts,
  type TableRow,
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  type TestStyle,
  testTable,
  type TestTableOptions,
} from "./test_report.ts";
