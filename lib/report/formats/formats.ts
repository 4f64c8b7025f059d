import type { ReportFormat } from "./format.ts";
import { github } from "./github.ts";
import { jsonLines } from "./json_lines.ts";
import { junit } from "./junit.ts";
import { policyReport, policyReportJson } from "./policy_reports.ts";
import { sarif } from "./sarif.ts";

/** All formats of reports, by name. */
export const reportFormats: ReadonlyMap<string, ReportFormat> = new Map(
  [sarif, junit, github, jsonLines, policyReport, policyReportJson].map((format) => [format.name, format]),
);
