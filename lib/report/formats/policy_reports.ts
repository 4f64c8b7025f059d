import type { JsonObject } from "../../json/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { reportResult, type ReportSummary } from "../policy_report.ts";
import type { ReportFormat, ReportOptions, ReportWriter } from "./format.ts";
import { type ReportRow, rowsOf } from "./row.ts";

/**
 * Reports of openreports.io: a cluster report for policies without a namespace, then a report for each namespace that
 * has policies. Kyverno parity: `apply --policy-report` prints these documents (pinned by tests/cli/reports_test.ts).
 */
export const policyReport: ReportFormat = {
  name: "report",
  about: "reports of openreports.io in YAML, as --policy-report prints them",
  open: (options) => new ReportDocuments(options, "yaml"),
};

/** The same as {@link policyReport} in JSON. */
export const policyReportJson: ReportFormat = {
  name: "report-json",
  about: "reports of openreports.io in JSON",
  open: (options) => new ReportDocuments(options, "json"),
};

class ReportDocuments implements ReportWriter {
  readonly #options: ReportOptions;
  readonly #form: "yaml" | "json";
  #isOpen = false;
  #isEmpty = true;
  readonly #summary = emptySummary();
  /** Rows of policies in a namespace. Their reports follow the cluster report. */
  readonly #namespaces = new Map<string, { rows: JsonObject[]; summary: ReportSummary }>();

  constructor(options: ReportOptions, form: "yaml" | "json") {
    this.#options = options;
    this.#form = form;
  }

  add(object: Parameters<ReportWriter["add"]>[0]): string {
    let text = "";
    for (const row of rowsOf(object, this.#options)) text += this.#row(row);
    return text;
  }

  end(): string {
    let text = "";
    if (this.#isOpen || this.#namespaces.size === 0) {
      text += this.#opening();
      const summary = this.#summary;
      text += this.#form === "json"
        ? `\n],"summary":${JSON.stringify(summary)}}\n`
        : `${this.#isEmpty ? " []\n" : ""}${toYaml({ summary: { ...summary } })}`;
    }
    for (const [namespace, { rows, summary }] of this.#namespaces) {
      const report = {
        ...head("Report", { name: "merged", namespace }),
        results: rows,
        summary: { ...summary },
      };
      text += this.#form === "json" ? `${JSON.stringify(report)}\n` : `---\n${toYaml(report)}`;
    }
    return text;
  }

  #row(row: ReportRow): string {
    const { namespace } = row.policy;
    const result = reportResult(row, this.#options);
    if (namespace !== undefined) {
      const report = this.#namespaces.get(namespace) ?? { rows: [], summary: emptySummary() };
      this.#namespaces.set(namespace, report);
      report.rows.push(result);
      report.summary[row.result]++;
      return "";
    }
    this.#summary[row.result]++;
    const opening = this.#opening();
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    if (this.#form === "json") return `${opening}${isFirst ? "" : ",\n"}${JSON.stringify(result)}`;
    return `${opening}${isFirst ? "\n" : ""}${toYaml([result])}`;
  }

  #opening(): string {
    if (this.#isOpen) return "";
    this.#isOpen = true;
    const fields = head("ClusterReport", { name: "merged" });
    return this.#form === "json"
      ? `${JSON.stringify(fields).slice(0, -1)},"results":[\n`
      : `${toYaml(fields)}results:`;
  }
}

function head(kind: string, metadata: JsonObject): JsonObject {
  return { apiVersion: "openreports.io/v1alpha1", kind, metadata, source: "postern" };
}

function emptySummary(): ReportSummary {
  return { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
}
