import { join } from "node:path";
import { ImageRecorder } from "../adapters/mod.ts";
import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import { type Checkout, checkout, isAddress } from "../sources/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { type ImageLookup, readImageFiles } from "../host/mod.ts";
import { writeRecording } from "./image_recording.ts";
import {
  type TestAnnotationOptions,
  testGithub,
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  testSarif,
  testTable,
  type TestTableOptions,
} from "../report/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { painter } from "./paint.ts";
import { version } from "./version.ts";
import { type Terminal, unusable } from "./terminal.ts";
import { watching } from "./watching.ts";
import {
  checkRows,
  type Expectation,
  findTests,
  type FoundTest,
  nameRemarks,
  readTestSelector,
  recordedImagesFile,
  runTest,
  testRows,
  type TestRun,
  type TestSelector,
} from "../testing/mod.ts";

/** The options of `test`. */
export interface TestArguments {
  /** Folders, searched to the bottom, or test files. */
  readonly paths: readonly string[];
  readonly fileName: string;
  readonly testCaseSelector: string;
  /** The one document of standard output. */
  readonly outputFormat?: TestOutput;
  /** `FORMAT=PATH`: further documents. */
  readonly output: readonly string[];
  readonly failOnly: boolean;
  readonly detailedResults: boolean;
  readonly gitBranch?: string;
  /** Run again whenever files change, until Ctrl-C. */
  readonly watch: boolean;
  readonly removeColor: boolean;
  /** Whether remarks count as failures. */
  readonly strict: boolean;
  readonly dialect: Dialect;
  /** Whether image registries are asked about images that a test does not describe. */
  readonly registry: boolean;
  /** Whether they are asked, and what they answer is written beside the tests. */
  readonly recordImages: boolean;
  readonly trustedRoot: readonly string[];
  readonly searchLogs: boolean;
}

/** A format for other programs. */
export type TestOutput = "json" | "yaml" | "markdown" | "junit" | "sarif" | "github";

const formats: Readonly<
  Record<TestOutput, (rows: readonly TestRow[], options: TestTableOptions & TestAnnotationOptions) => string>
> = {
  json: (rows, options) => JSON.stringify(testObjects(rows, options), null, 2),
  yaml: (rows, options) => toYaml(testObjects(rows, options)).trimEnd(),
  markdown: testMarkdown,
  junit: testJunit,
  sarif: testSarif,
  github: testGithub,
};

/**
 * `test DIR…`: runs the tests of policies. With an output format only that document goes to standard output. Exit
 * code 0 when all pass; 1 when one fails or cannot be run, when input cannot be used, and when nothing was checked; 2
 * for arguments that cannot be used.
 *
 * Kyverno parity: options, files, tables and summary. Unlike Kyverno, Postern runs the other tests when one cannot be
 * run, and remarks on names that a test misspells. Pinned by tests/cli/test_command_test.ts.
 */
export async function test(args: TestArguments, terminal: Terminal): Promise<number> {
  const selector = readTestSelector(args.testCaseSelector);
  if (isFault(selector)) return unusable(selector.message, terminal);
  const files = reportFiles(args.output);
  if (isFault(files)) return unusable(files.message, terminal);
  if (args.recordImages && args.testCaseSelector !== everyTest) {
    return unusable("--record-images is for whole tests: leave --test-case-selector out", terminal);
  }
  const lookup = args.registry || args.recordImages
    ? await readImageFiles({ ...args, for: "command" })
    : undefined;
  if (isFault(lookup)) return unusable(lookup.message, terminal);
  const checkouts: Checkout[] = [];
  try {
    const folders = await foldersOf(args, checkouts);
    if (isFault(folders)) return unusable(folders.message, terminal);
    if (!args.watch) return await runAll({ args, folders, selector, files, lookup }, terminal);
    const options = { args, folders, selector, files, lookup };
    return await watching(folders, terminal, () => runAll(options, terminal));
  } finally {
    for (const checkout of checkouts) await checkout[Symbol.asyncDispose]();
  }
}

/** The folders to search; repositories are checked out first. */
async function foldersOf(
  { paths, gitBranch: branch }: TestArguments,
  checkouts: Checkout[],
): Promise<string[] | Fault> {
  const folders: string[] = [];
  for (const path of paths) {
    if (!isAddress(path)) {
      folders.push(path);
      continue;
    }
    const found = await checkout(path, { branch });
    if (isFault(found)) return found;
    checkouts.push(found);
    folders.push(found.folder);
  }
  return folders;
}

interface TestOptions {
  readonly args: TestArguments;
  readonly folders: readonly string[];
  readonly selector: TestSelector;
  readonly files: readonly ReportFile[];
  /** Where images are looked up; nowhere when absent. */
  readonly lookup: ImageLookup | undefined;
}

/** The selector of every test. */
const everyTest = "policy=*,rule=*,resource=*";

/** How many tests are read while one is compared. */
const READ_AHEAD = 4;

async function runAll(options: TestOptions, terminal: Terminal): Promise<number> {
  const { args, folders, selector, files, lookup } = options;
  const { tests, diagnostics } = await findTests(folders, args.fileName);
  const session = new TestSession(args, terminal, lookup);
  session.note(diagnostics);
  const chosen = tests.map((found) => ({
    found,
    expectations: found.test.results.flatMap((expectation) => selector.select(expectation) ?? []),
  })).filter(({ found: { test: { results, checks } }, expectations }) =>
    expectations.length > 0 || (results.length === 0 && checks.length > 0)
  );
  const runs: Promise<TestRun>[] = [];
  for (const [index, { found, expectations }] of chosen.entries()) {
    for (let next = runs.length; next < Math.min(chosen.length, index + READ_AHEAD); next++) {
      runs.push(session.start(chosen[next]!.found));
    }
    await session.compare(found, expectations, await runs[index]!);
    // What a run holds is needed no more.
    delete runs[index];
  }
  if (tests.length === 0) terminal.err("No test yamls available");
  return await session.finish(files);
}

/** One run of the command: counts, and the rows for formats that show all at the end. */
class TestSession {
  readonly #args: TestArguments;
  readonly #terminal: Terminal;
  readonly #table: TestTableOptions & TestAnnotationOptions;
  readonly #lookup: ImageLookup | undefined;
  /** What registries answered to the tests of a folder. */
  readonly #recorders = new Map<string, ImageRecorder>();
  readonly #rows: TestRow[] = [];
  #remarks = 0;
  #errors = 0;

  constructor(args: TestArguments, terminal: Terminal, lookup: ImageLookup | undefined) {
    this.#args = args;
    this.#terminal = terminal;
    this.#lookup = lookup;
    const removeColor = args.removeColor || args.outputFormat !== undefined;
    this.#table = {
      detailed: args.detailedResults,
      paint: painter(terminal, { removeColor }),
      folder: Deno.cwd(),
      version,
    };
  }

  /** Says what is wrong; errors count. */
  note(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.#terminal.err(formatDiagnostic(diagnostic));
    this.#errors += diagnostics.filter(({ severity }) => severity === "error").length;
  }

  /** Starts reading and running a test. */
  start(found: FoundTest): Promise<TestRun> {
    const lookup = this.#lookup, recorder = this.#recorderFor(found);
    return runTest(found, {
      dialect: this.#args.dialect,
      lookup: lookup && ((reached) => lookup.ports(reached, recorder)),
    });
  }

  #recorderFor({ folder }: FoundTest): ImageRecorder | undefined {
    if (!this.#args.recordImages) return undefined;
    const recorder = this.#recorders.get(folder) ?? new ImageRecorder();
    this.#recorders.set(folder, recorder);
    return recorder;
  }

  /** Compares what a run gave, and prints it. */
  async compare(found: FoundTest, expectations: readonly Expectation[], run: TestRun): Promise<void> {
    this.#say(`Loading test ${found.test.name} ( ${found.file} ) ...`);
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
    this.#remarks += noted.filter(({ severity }) => severity !== "error").length;
    const { outputFormat, failOnly } = this.#args;
    if (outputFormat === undefined && !failOnly) this.#say(`\n${testTable(rows, this.#table)}\n`);
    this.note([...run.diagnostics, ...noted]);
    if (outputFormat === undefined) {
      for (const row of rows.filter(isFailure)) this.#say(`${explained(row).join("\n")}\n`);
    }
  }

  /** The summary, and the documents that show all rows; the exit code. */
  async finish(files: readonly ReportFile[]): Promise<number> {
    const { outputFormat, failOnly, strict } = this.#args;
    const failed = this.#rows.filter(isFailure);
    const [all, fails] = [this.#rows.length, failed.length];
    this.#say(
      failOnly
        ? `\nTest Summary: ${fails} out of ${all} tests failed\n`
        : `\nTest Summary: ${all - fails} tests passed and ${fails} tests failed\n`,
    );
    const shown = failOnly ? failed : this.#rows;
    if (outputFormat !== undefined) this.#terminal.out(formats[outputFormat](shown, this.#table));
    else if (failOnly && fails > 0) {
      this.#say(`Aggregated Failed Test Cases : \n${testTable(failed, this.#table)}`);
    }
    for (const { format, path } of files) await this.#write(path, formats[format](shown, this.#table));
    for (const [folder, recorder] of this.#recorders) {
      if (recorder.size > 0) this.note(await writeRecording(recorder, join(folder, recordedImagesFile)));
    }
    return this.#exitCode({ all, fails, strict });
  }

  #exitCode({ all, fails, strict }: { all: number; fails: number; strict: boolean }): number {
    const problems = [
      ...this.#errors > 0 ? [`${count(this.#errors, "problem", "problems")} in test files`] : [],
      ...fails > 0 ? [`${fails} tests failed`] : [],
      ...strict && this.#remarks > 0 ? [count(this.#remarks, "remark", "remarks")] : [],
      ...all === 0 ? ["nothing was tested"] : [],
    ];
    for (const problem of problems) this.#terminal.err(`Error: ${problem}`);
    return problems.length > 0 ? 1 : 0;
  }

  async #write(path: string, text: string): Promise<void> {
    try {
      await Deno.writeTextFile(path, `${text}\n`);
    } catch (cause) {
      const message = `cannot write to ${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.note([{ severity: "error", code: "unwritable", message }]);
    }
  }

  #say(text: string): void {
    if (this.#args.outputFormat === undefined) this.#terminal.out(text);
    else this.#terminal.err(text);
  }
}

/** A document for other programs, in a file. */
interface ReportFile {
  readonly format: TestOutput;
  readonly path: string;
}

/** Reads `junit=report.xml`. */
function reportFiles(outputs: readonly string[]): ReportFile[] | Fault {
  const files: ReportFile[] = [];
  for (const output of outputs) {
    const [, format = "", path = ""] = /^(\w+)=(.+)$/.exec(output) ?? [];
    const known = Object.keys(formats).find((each): each is TestOutput => each === format);
    if (known === undefined) {
      return new Fault(
        `--output ${output}: write it as FORMAT=PATH; formats are ${Object.keys(formats).join(", ")}`,
      );
    }
    files.push({ format: known, path });
  }
  return files;
}

function checksNothing({ positionOf }: FoundTest): Diagnostic {
  const message = "The test checks nothing: no result is about any object";
  return { severity: "error", code: "empty-test", message, position: positionOf(["results"]) };
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
