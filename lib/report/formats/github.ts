import type { ReportFormat, ReportOptions } from "./format.ts";
import { relativePath, type ReportRow, resourceText, rowsOf, ruleId } from "./row.ts";

/** Annotations of GitHub workflows: GitHub shows each failure beside the changed line. */
export const github: ReportFormat = {
  name: "github",
  about: "annotations of a GitHub workflow",
  open: (options) => ({
    add: (object) => rowsOf(object, options).flatMap((row) => annotation(row, options) ?? []).join(""),
    end: ({ diagnostics }) =>
      diagnostics.map(({ severity, code, message, hint, position }) => {
        const command = severity === "error" ? "error" : severity === "warning" ? "warning" : "notice";
        const text = hint === undefined ? message : `${message}; ${hint}`;
        return `::${command} ${properties(position, code, options)}::${escaped(text)}\n`;
      }).join(""),
  }),
};

const commands: Readonly<Partial<Record<ReportRow["result"], string>>> = {
  fail: "error",
  error: "error",
  warn: "warning",
};

function annotation(row: ReportRow, options: ReportOptions): string | undefined {
  const command = commands[row.result];
  if (command === undefined) return undefined;
  const text = `${resourceText(row.resource)}: ${row.message || "validation failed"}`;
  return `::${command} ${properties(row.position, ruleId(row), options)}::${escaped(text)}\n`;
}

/** The properties of a workflow command: a position in a file, if there is one, and a title. */
export function properties(
  position: ReportRow["position"],
  title: string,
  { folder }: Pick<ReportOptions, "folder">,
): string {
  const location = position === undefined || position.file === "-"
    ? ""
    : `file=${property(relativePath(position.file, folder))},line=${position.line},col=${position.column},`;
  return `${location}title=${property(title)}`;
}

/** Escapes a text. A workflow command ends at the line break; `%`, and in properties `:` and `,`, need codes too. */
export function escaped(text: string): string {
  return text.trim().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
