import type { Position } from "../diagnostics/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { xmlAttribute, xmlText } from "./xml.ts";

/** One line of a test's results. */
export interface TestRow {
  /** The name of the policy in the test. */
  readonly policy: string;
  readonly rule: string;
  /** `apiVersion/kind/namespace/name`. */
  readonly resource: string;
  readonly result: "Pass" | "Fail" | "Skip";
  /** The reason in a few words: `Ok`, `Want pass, got fail`, `Excluded`, `Not found` … */
  readonly reason: string;
  /** The rule's message, or the difference from the expectation. */
  readonly message: string;
  /** For a row that fails: the expected and the actual text, line by line. */
  readonly details: readonly string[];
  /** The position of the expectation in the test file. */
  readonly position?: Position;
}

/** One line of a table of results. */
export interface TableRow extends Pick<TestRow, "policy" | "rule" | "resource" | "reason" | "message"> {
  readonly result: TestRow["result"] | "Warn" | "Error";
}

/** The options of a table of rows. */
export interface TestTableOptions {
  /** Whether the table shows each row's message too. */
  readonly detailed: boolean;
  /** The number of the first row, if the table continues another one; 1 by default. */
  readonly firstId?: number;
  /** Paints a text, for terminals; plain by default. */
  readonly paint?: (style: TestStyle, text: string) => string;
}

/** The meaning of a part of a table, from which its colour follows. */
export type TestStyle = "name" | "pass" | "fail" | "skip" | "remark" | "heading";

const columns = ["ID", "POLICY", "RULE", "RESOURCE", "RESULT", "REASON"] as const;

/**
 * Rows as a table with borders. Kyverno parity: the columns and borders are Kyverno's, and with more than ten rows the
 * first heading shows their number. Pinned by tests/report/test_report_test.ts.
 */
export function testTable(rows: readonly TableRow[], options: TestTableOptions): string {
  return [...tableParts(rows, options)].join("\n");
}

/** The lines of a part. */
const partLines = 500;

/**
 * A table in parts of some lines each, without the line break at their ends. Widths and lines are computed one after
 * the other from the rows: the cells and the text of a long table would take tens of megabytes.
 */
export function* tableParts(
  rows: readonly TableRow[],
  { detailed, firstId = 1, paint = plain }: TestTableOptions,
): Generator<string> {
  const heading = rows.length > 10 ? `ID (${rows.length}) ` : "ID";
  const headings = [heading, ...columns.slice(1), ...(detailed ? ["MESSAGE"] : [])];
  const widths = headings.map(width);
  for (const [index, row] of rows.entries()) {
    for (const [column, cell] of cellsOf(row, { id: firstId + index, detailed }).entries()) {
      for (const line of linesOf(cell)) widths[column] = Math.max(widths[column]!, width(line));
    }
  }
  const border = `│${widths.map((size) => "─".repeat(size + 2)).join("│")}│`;
  let lines = [border, framed(headings, widths, (_, heading) => paint("heading", heading)), border];
  for (const [index, row] of rows.entries()) {
    const cells = cellsOf(row, { id: firstId + index, detailed }).map(linesOf);
    const height = Math.max(...cells.map((lines) => lines.length));
    for (let line = 0; line < height; line++) {
      const shown = cells.map((lines) => lines[line] ?? "");
      lines.push(framed(shown, widths, (column, cell) => paint(styleOf(row, column), cell)));
    }
    if (lines.length < partLines) continue;
    yield lines.join("\n");
    lines = [];
  }
  yield [...lines, border].join("\n");
}

function framed(
  cells: readonly string[],
  widths: readonly number[],
  paint: (column: number, text: string) => string,
): string {
  const padded = cells.map((cell, column) =>
    ` ${cell === "" ? "" : paint(column, cell)}${" ".repeat(widths[column]! - width(cell))} `
  );
  return `│${padded.join("│")}│`;
}

function styleOf({ result, reason }: TableRow, column: number): TestStyle {
  if (column >= 1 && column <= 3) return "name";
  if (column === 4) {
    return result === "Pass" ? "pass" : result === "Skip" ? "skip" : result === "Warn" ? "remark" : "fail";
  }
  return column === 5 && reason !== "Ok" ? "remark" : "heading";
}

function plain(_: TestStyle, text: string): string {
  return text;
}

function cellsOf(row: TableRow, { id, detailed }: { id: number; detailed: boolean }): string[] {
  const { policy, rule, resource, result, reason, message } = row;
  return [String(id), policy, rule, resource, result, reason, ...(detailed ? [message] : [])];
}

/** The lines of a cell; most have one. */
function linesOf(cell: string): readonly string[] {
  return cell.includes("\n") ? cell.split("\n") : [cell];
}

/** The width of a text in characters, not in code units. */
function width(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length;
}

/** Rows as objects for JSON and YAML: the keys are the headings of the table, except `Message`, as in Kyverno. */
export function testObjects(rows: readonly TestRow[], { detailed }: TestTableOptions): JsonObject[] {
  return rows.map((row, index) => ({
    ID: index + 1,
    POLICY: row.policy,
    RULE: row.rule,
    RESOURCE: row.resource,
    RESULT: row.result,
    REASON: row.reason,
    ...(detailed && { Message: row.message }),
  }));
}

/** Rows as a table in Markdown. */
export function testMarkdown(rows: readonly TestRow[], { detailed }: TestTableOptions): string {
  const headings = [...columns, ...(detailed ? ["MESSAGE"] : [])];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const escaped = (cell: string): string =>
    cell.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\n", "<br>");
  return [
    line(headings),
    `|${"----|".repeat(headings.length)}`,
    ...rows.map((row, index) => line(cellsOf(row, { id: index + 1, detailed }).map(escaped))),
  ].join("\n");
}

/** Rows as JUnit XML: a suite for each policy, a case for each rule and object. */
export function testJunit(rows: readonly TestRow[], { detailed }: TestTableOptions): string {
  const suites = Map.groupBy(rows, (row) => row.policy);
  const body = [...suites].flatMap(([policy, cases]) => [
    ` <testsuite name="${xmlAttribute(policy)}" tests="${cases.length}" failures="${
      failures(cases)
    }" skipped="${skips(cases)}">`,
    ...cases.flatMap((row) => junitCase(row, detailed ? [`Message: ${row.message}`] : [])),
    " </testsuite>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${rows.length}" failures="${failures(rows)}">`,
    ...body,
    "</testsuites>",
  ].join("\n");
}

function junitCase(row: TestRow, more: readonly string[]): string[] {
  const about = [
    `Policy: ${row.policy}`,
    `Rule: ${row.rule}`,
    `Resource: ${row.resource}`,
    `Result: ${row.result}`,
    ...more,
  ];
  const inner = {
    Pass: [`   <system-out>${xmlText([`Reason: ${row.reason}`, ...about].join("\n"))}</system-out>`],
    Fail: [
      `   <failure message="${xmlAttribute(row.reason)}">${
        xmlText([...about, ...row.details].join("\n"))
      }</failure>`,
    ],
    Skip: [`   <skipped>${xmlText(row.reason)}</skipped>`],
  };
  return [
    `  <testcase classname="${xmlAttribute(row.rule)}" name="${xmlAttribute(row.resource)}">`,
    ...inner[row.result],
    "  </testcase>",
  ];
}

function failures(rows: readonly TestRow[]): number {
  return rows.filter(({ result }) => result === "Fail").length;
}

function skips(rows: readonly TestRow[]): number {
  return rows.filter(({ result }) => result === "Skip").length;
}
