import type { Diagnostic, Position } from "../../diagnostics/mod.ts";
import type { DocumentPath, JsonObject } from "../../json/mod.ts";
import type { ReportedResult, ReportSummary } from "../policy_report.ts";

/** The results of all policies for one object. */
export interface ReportedObject {
  readonly resource: JsonObject;
  readonly results: readonly ReportedResult[];
  /** Returns the position of a part of the object in its file; absent for objects of a cluster. */
  readonly positionOf?: (path: DocumentPath) => Position;
}

/** The options of a report. */
export interface ReportOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The version of Postern. */
  readonly version: string;
  /** Whether failures of audit rules count as warnings. */
  readonly auditWarn: boolean;
  /** Reports show the paths of files below this folder relative to it. */
  readonly folder: string;
}

/** The input for the end of a report. */
export interface ReportEnd {
  readonly summary: ReportSummary;
  /** The problems of the files that the command read. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Writes one report, one object at a time, so that memory does not grow. Every returned text is empty or ends with a
 * line break.
 */
export interface ReportWriter {
  add(object: ReportedObject): string;
  end(end: ReportEnd): string;
}

/** A format of reports for other programs. A new format needs a file in this folder and a line in its table. */
export interface ReportFormat {
  readonly name: string;
  /** The purpose of the format, in a few words for the help. */
  readonly about: string;
  open(options: ReportOptions): ReportWriter;
}
