import { ImageRegistry, systemClock, systemEntropy } from "../adapters/mod.ts";
import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import { isFault } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Registry } from "../ports.ts";
import {
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  testTable,
  type TestTableOptions,
} from "../report/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { painter } from "./paint.ts";
import type { Terminal } from "./terminal.ts";
import type { Expectation } from "../testing/mod.ts";
import { checkRows } from "../testing/mod.ts";
import { findTests, type FoundTest } from "../testing/mod.ts";
import { nameRemarks } from "../testing/mod.ts";
import { testRows } from "../testing/mod.ts";
import { runTest } from "../testing/mod.ts";
import { readTestSelector } from "../testing/mod.ts";

/** The options of `test`. */
export interface TestArguments {
  /** Folders, searched to the bottom, or test files. */
  readonly paths: readonly string[];
  readonly fileName: string;
  readonly testCaseSelector: string;
  readonly output?: TestOutput | undefined;
  readonly failOnly: boolean;
  readonly detailedResults: boolean;
  readonly requireTests: boolean;
  readonly removeColor: boolean;
  /** Whether remarks count as failures. */
  readonly strict: boolean;
  readonly dialect: Dialect;
  /** Whether image registries are asked about images that a test does not describe. */
  readonly registry: boolean;
}

/** A format for other programs. */
export type TestOutput = "json" | "yaml" | "markdown" | "junit";

const formats: Readonly<
  Record<TestOutput, (rows: readonly TestRow[], options: TestTableOptions) => string>
> = {
  json: (rows, options) => JSON.stringify(testObjects(rows, options), null, 2),
  yaml: (rows, options) => toYaml(testObjects(rows, options)).trimEnd(),
  markdown: testMarkdown,
  junit: testJunit,
};

/**
 * `test DIR…`: runs the tests of policies. With an output format only that document goes to standard output. Exit code
 * 0 when all pass, 1 when one fails or cannot be run, 2 for arguments that cannot be used.
 *
 * Kyverno parity: options, files, tables and summary. Unlike there, a test that cannot be run does not keep the others
 * from running, and names that a test misspells are remarked upon.
 */
export async function test(args: TestArguments, terminal: Terminal): Promise<number> {
  const selector = readTestSelector(args.testCaseSelector);
  if (isFault(selector)) {
    terminal.err(`error: ${selector.message}`);
    return 2;
  }
  const { tests, diagnostics } = await findTests(args.paths, args.fileName);
  for (const diagnostic of diagnostics) terminal.err(formatDiagnostic(diagnostic));
  const session = new TestSession(args, terminal);
  for (const found of tests) {
    const chosen = found.test.results.flatMap((expectation) => selector.select(expectation) ?? []);
    const { results, checks } = found.test;
    const isOfChecks = results.length === 0 && checks.length > 0;
    if (chosen.length > 0 || isOfChecks) await session.run(found, chosen);
  }
  const broken = diagnostics.filter(({ severity }) => severity === "error").length;
  if (tests.length === 0) {
    terminal.err("No test yamls available");
    return args.requireTests || broken > 0 ? 1 : 0;
  }
  return session.finish(broken);
}

/** One run of the command: counts, and the rows for formats that show all at the end. */
class TestSession {
  readonly #args: TestArguments;
  readonly #terminal: Terminal;
  readonly #table: TestTableOptions;
  readonly #registry: Registry | undefined;
  readonly #rows: TestRow[] = [];
  #remarks = 0;

  constructor(args: TestArguments, terminal: Terminal) {
    this.#args = args;
    this.#terminal = terminal;
    this.#registry = args.registry
      ? new ImageRegistry({ clock: systemClock(), entropy: systemEntropy() })
      : undefined;
    const removeColor = args.removeColor || args.output !== undefined;
    this.#table = { detailed: args.detailedResults, paint: painter(terminal, { removeColor }) };
  }

  async run(found: FoundTest, expectations: readonly Expectation[]): Promise<void> {
    this.#say(`Loading test ${found.test.name} ( ${found.file} ) ...`);
    const run = await runTest(found, { dialect: this.#args.dialect, registry: this.#registry });
    const { policies, resources, exceptions } = run.input;
    this.#say(
      `  Applying ${count(policies.length, "policy", "policies")} to ${
        count(resources.length, "resource", "resources")
      } with ${count(exceptions.length, "exception", "exceptions")} ...`,
    );
    const compared = await testRows(run, expectations);
    const checked = checkRows(run);
    const rows = [...compared.rows, ...checked.rows];
    const noted = distinct([
      ...nameRemarks(run, expectations),
      ...compared.remarks,
      ...checked.remarks,
      ...rows.length === 0 ? [checksNothing(found)] : [],
    ]);
    this.#say("  Checking results ...");
    this.#rows.push(...rows);
    this.#remarks += noted.length;
    if (this.#args.output === undefined && !this.#args.failOnly) {
      this.#say(`\n${testTable(rows, this.#table)}\n`);
    }
    for (const diagnostic of [...run.diagnostics, ...noted]) this.#terminal.err(formatDiagnostic(diagnostic));
    if (this.#args.output === undefined) {
      for (const row of rows.filter(isFailure)) this.#say(`${explained(row).join("\n")}\n`);
    }
  }

  /** The summary, and the documents that show all rows; the exit code. */
  finish(broken: number): number {
    const { output, failOnly, strict } = this.#args;
    const failed = this.#rows.filter(isFailure);
    const [all, fails] = [this.#rows.length, failed.length];
    this.#say(
      failOnly
        ? `\nTest Summary: ${fails} out of ${all} tests failed\n`
        : `\nTest Summary: ${all - fails} tests passed and ${fails} tests failed\n`,
    );
    const shown = failOnly ? failed : this.#rows;
    if (output !== undefined) this.#terminal.out(formats[output](shown, this.#table));
    else if (failOnly && fails > 0) {
      this.#say(`Aggregated Failed Test Cases : \n${testTable(failed, this.#table)}`);
    }
    if (broken > 0) this.#terminal.err(`Error: ${count(broken, "problem", "problems")} in test files`);
    if (fails > 0) this.#terminal.err(`Error: ${fails} tests failed`);
    if (strict && this.#remarks > 0) {
      this.#terminal.err(`Error: ${count(this.#remarks, "remark", "remarks")}`);
    }
    return fails + broken + (strict ? this.#remarks : 0) > 0 ? 1 : 0;
  }

  #say(text: string): void {
    if (this.#args.output === undefined) this.#terminal.out(text);
    else this.#terminal.err(text);
  }
}

function checksNothing({ positionOf }: FoundTest): Diagnostic {
  const message = "The test checks nothing: no result is about any object";
  return { severity: "warning", code: "empty-test", message, position: positionOf(["results"]) };
}

function isFailure(row: TestRow): boolean {
  return row.result === "Fail";
}

function explained({ policy, rule, resource, reason, details }: TestRow): string[] {
  return [`${policy} / ${rule} / ${resource}: ${reason}`, ...details.map((line) => `  ${line}`)];
}

function distinct(remarks: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(remarks.map((remark) => [formatDiagnostic(remark), remark])).values()];
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
