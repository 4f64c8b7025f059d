import { Fault } from "../../json/mod.ts";
import {
  type TestAnnotationOptions,
  testGithub,
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  testSarif,
  type TestTableOptions,
} from "../../report/mod.ts";
import { toYaml } from "../../yaml/mod.ts";

/** A format for other programs. */
export type TestOutput = "json" | "yaml" | "markdown" | "junit" | "sarif" | "github";

/** The options of all document formats. */
export type TestOutputOptions = TestTableOptions & TestAnnotationOptions;

/** The rows as one document of a format. */
export const testOutputs: Readonly<
  Record<TestOutput, (rows: readonly TestRow[], options: TestOutputOptions) => string>
> = {
  json: (rows, options) => JSON.stringify(testObjects(rows, options), null, 2),
  yaml: (rows, options) => toYaml(testObjects(rows, options)).trimEnd(),
  markdown: testMarkdown,
  junit: testJunit,
  sarif: testSarif,
  github: testGithub,
};

/** A document for other programs, in a file. */
export interface TestReportFile {
  readonly format: TestOutput;
  readonly path: string;
}

/** Reads `junit=report.xml`; a fault names the formats. */
export function testReportFiles(outputs: readonly string[]): TestReportFile[] | Fault {
  const names = Object.keys(testOutputs);
  const files: TestReportFile[] = [];
  for (const output of outputs) {
    const [, name = "", path = ""] = /^(\w+)=(.+)$/.exec(output) ?? [];
    const format = names.find((each): each is TestOutput => each === name);
    if (format === undefined) {
      return new Fault(`--output ${output}: write it as FORMAT=PATH; formats are ${names.join(", ")}`);
    }
    files.push({ format, path });
  }
  return files;
}
