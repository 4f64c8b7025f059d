import type { JsonObject } from "../json/mod.ts";
import { escaped, properties } from "./formats/github.ts";
import { physicalLocation, sarifSchema } from "./formats/sarif.ts";
import { ruleName } from "./formats/row.ts";
import type { TestRow } from "./test_report.ts";

/** The options of annotations, which show failing rows at their entries in the test files. */
export interface TestAnnotationOptions {
  /** Annotations show the paths of files below this folder relative to it. */
  readonly folder: string;
  /** The version of Postern. */
  readonly version: string;
}

/** Failing rows as annotations of a GitHub workflow, at the entry of the test file. */
export function testGithub(rows: readonly TestRow[], options: TestAnnotationOptions): string {
  return rows.filter(isFailure).map((row) =>
    `::error ${properties(row.position, nameOf(row), options)}::${escaped(textOf(row))}`
  ).join("\n");
}

/** Failing rows as SARIF 2.1.0, at the entry of the test file. */
export function testSarif(rows: readonly TestRow[], options: TestAnnotationOptions): string {
  const failing = rows.filter(isFailure);
  const rules = [...new Set(failing.map(nameOf))].map((id): JsonObject => ({
    id,
    shortDescription: { text: `Tests of ${id}` },
  }));
  const results = failing.map((row) => ({
    ruleId: nameOf(row),
    level: "error",
    message: { text: textOf(row) },
    locations: [{
      ...(row.position !== undefined && { physicalLocation: physicalLocation(row.position, options) }),
      logicalLocations: [{ fullyQualifiedName: row.resource, kind: "object" }],
    }],
  }));
  const driver = { name: "Postern", semanticVersion: options.version, rules };
  return JSON.stringify(
    { version: "2.1.0", $schema: sarifSchema, runs: [{ tool: { driver }, results }] },
    null,
    2,
  );
}

function nameOf({ policy, rule }: TestRow): string {
  return ruleName(policy, rule);
}

function textOf({ resource, reason, details }: TestRow): string {
  return [`${resource}: ${reason}`, ...details].join("\n");
}

function isFailure({ result }: TestRow): boolean {
  return result === "Fail";
}
