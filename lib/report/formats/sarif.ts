import { failedPath } from "../../rules/mod.ts";
import type { Diagnostic, Position } from "../../diagnostics/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ReportEnd, ReportFormat, ReportOptions } from "./format.ts";
import { relativePath, type ReportRow, resourceText, rowsOf, ruleId } from "./row.ts";

/** SARIF 2.1.0 for code scanning: failures with the line of the object and the line of the rule. */
export const sarif: ReportFormat = {
  name: "sarif",
  about: "SARIF 2.1.0, for code scanning",
  open(options) {
    const rules = new Map<string, JsonObject>();
    let isOpen = false;
    const opening = (): string => {
      if (isOpen) return "";
      isOpen = true;
      return `{\n"version": "2.1.0",\n"$schema": ${JSON.stringify(sarifSchema)},\n"runs": [{\n"results": [`;
    };
    let separator = "\n";
    return {
      add(object) {
        let text = opening();
        for (const row of rowsOf(object, options)) {
          const level = levels[row.result];
          if (level === undefined) continue;
          const id = ruleId(row);
          if (!rules.has(id)) rules.set(id, ruleOf(row));
          text += `${separator}${JSON.stringify(resultOf(row, { level, id, options }))}`;
          separator = ",\n";
        }
        return text;
      },
      end(end) {
        const driver = {
          name: "Postern",
          semanticVersion: options.version,
          rules: [...rules.values()],
        };
        const rest = `\n],\n"tool": ${JSON.stringify({ driver })},\n"invocations": [${
          JSON.stringify(invocation(end, options))
        }]\n}]\n}\n`;
        return opening() + rest;
      },
    };
  },
};

/** The schema of SARIF 2.1.0. */
export const sarifSchema =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** The SARIF levels of the results that the report shows: all except pass and skip. */
const levels: Readonly<Partial<Record<ReportRow["result"], string>>> = {
  fail: "error",
  error: "error",
  warn: "warning",
};

function resultOf(
  row: ReportRow,
  { level, id, options }: { level: string; id: string; options: ReportOptions },
): object {
  const { position, rulePosition, resource, ruleResult } = row;
  const path = failedPath(ruleResult);
  const message = `${resourceText(resource)}: ${row.message.trim() || "validation failed"}`;
  const logicalLocations = [{ fullyQualifiedName: resourceText(resource), kind: "object" }];
  const physical = position === undefined ? {} : { physicalLocation: physicalLocation(position, options) };
  return {
    ruleId: id,
    level,
    message: { text: message },
    locations: [{ ...physical, logicalLocations }],
    ...(rulePosition !== undefined && {
      relatedLocations: [{
        id: 1,
        physicalLocation: physicalLocation(rulePosition, options),
        message: { text: "the rule" },
      }],
    }),
    properties: {
      result: row.result,
      action: ruleResult.action,
      ...(path !== undefined && { path }),
    },
  };
}

function ruleOf(row: ReportRow): JsonObject {
  const { policy, rule } = row;
  const annotation = (name: string): string | undefined => policy.annotations[`policies.kyverno.io/${name}`];
  const description = annotation("description")?.trim();
  const category = annotation("category");
  const score = scores[annotation("severity") ?? ""];
  return {
    id: ruleId(row),
    name: rule || policy.name,
    shortDescription: { text: annotation("title") ?? policy.name },
    ...(description !== undefined && description !== "" && { fullDescription: { text: description } }),
    properties: {
      ...(category !== undefined && { tags: category.split(",").map((tag) => tag.trim()) }),
      ...(score !== undefined && { "security-severity": score }),
    },
  };
}

/** Severities of policies as the scores by which code scanning sorts. */
const scores: Readonly<Record<string, string>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.5",
  low: "2.0",
  info: "0.5",
};

function invocation({ diagnostics }: ReportEnd, options: ReportOptions): object {
  const notifications = diagnostics.map((diagnostic) => notification(diagnostic, options));
  return {
    executionSuccessful: diagnostics.every(({ severity }) => severity !== "error"),
    ...(notifications.length > 0 && { toolConfigurationNotifications: notifications }),
  };
}

function notification(
  { severity, code, message, hint, position }: Diagnostic,
  options: ReportOptions,
): object {
  return {
    descriptor: { id: code },
    level: severity === "info" ? "note" : severity,
    message: { text: hint === undefined ? message : `${message}; ${hint}` },
    ...(position !== undefined && { locations: [{ physicalLocation: physicalLocation(position, options) }] }),
  };
}

/** A position in a file. If the file is below the folder, its path is relative to the folder. */
export function physicalLocation(
  { file, line, column }: Position,
  { folder }: Pick<ReportOptions, "folder">,
): object {
  return {
    artifactLocation: { uri: uriOf(file === "-" ? "stdin" : relativePath(file, folder)) },
    region: { startLine: line, startColumn: column },
  };
}

/** Escapes a path as a URI reference. A path that is a URI already keeps its scheme. */
function uriOf(path: string): string {
  if (/^[a-z][a-z+]*:\/\//.test(path)) return encodeURI(path);
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${escaped}` : escaped;
}
