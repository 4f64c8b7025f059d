import { xmlAttribute, xmlText } from "../xml.ts";
import type { ReportedObject, ReportFormat, ReportOptions } from "./format.ts";
import { type ReportRow, resourceText, rowsOf, ruleId } from "./row.ts";

/**
 * JUnit XML: a suite for each object, a case for each rule. In the schema of the JUnit team, a skipped case has no
 * `message` attribute, so the message is its text (tests/cli/reports_test.ts).
 */
export const junit: ReportFormat = {
  name: "junit",
  about: "JUnit XML: a suite for each object, a case for each rule",
  open(options) {
    let isOpen = false;
    const opening = (): string => {
      if (isOpen) return "";
      isOpen = true;
      return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="postern">\n';
    };
    return {
      add: (object) => object.results.length === 0 ? "" : `${opening()}${suite(object, options)}`,
      end: () => `${opening()}</testsuites>\n`,
    };
  },
};

function suite(object: ReportedObject, options: ReportOptions): string {
  const rows = rowsOf(object, options);
  const count = (result: ReportRow["result"]): number => rows.filter((row) => row.result === result).length;
  const timestamp = new Date(options.now).toISOString().slice(0, 19);
  const counts = `tests="${rows.length}" failures="${count("fail")}" errors="${count("error")}" skipped="${
    count("skip") + count("warn")
  }"`;
  return [
    `  <testsuite name="${
      xmlText(resourceText(object.resource))
    }" ${counts} time="0" timestamp="${timestamp}" hostname="localhost">`,
    ...rows.flatMap(testCase),
    "  </testsuite>",
    "",
  ].join("\n");
}

function testCase(row: ReportRow): string[] {
  const opening = `    <testcase classname="${xmlAttribute(row.policy.key)}" name="${
    xmlText(row.rule || row.policy.name)
  }" time="0"`;
  switch (row.result) {
    case "pass":
      return [`${opening}/>`];
    case "fail":
    case "error": {
      const element = row.result === "fail" ? "failure" : "error";
      const location = row.position === undefined ? "" : `${row.position.file}:${row.position.line}`;
      const message = xmlAttribute(row.message), type = xmlAttribute(ruleId(row));
      return [
        `${opening}>`,
        `      <${element} message="${message}" type="${type}">${xmlText(location)}</${element}>`,
        "    </testcase>",
      ];
    }
    case "skip":
    case "warn":
      return [`${opening}>`, `      <skipped>${xmlText(row.message)}</skipped>`, "    </testcase>"];
  }
}
