import { join } from "node:path";
import { ImageRecorder } from "../../registries/mod.ts";
import { type Diagnostic, fileProblem, formatDiagnostic, type Position } from "../../diagnostics/mod.ts";
import type { ImageLookup } from "../../open_ports/mod.ts";
import type { Dialect } from "../../match/mod.ts";
import { type TestRow, testTable } from "../../report/mod.ts";
import {
  checkRows,
  type Expectation,
  type FoundTest,
  nameRemarks,
  recordedImagesFile,
  runTest,
  testRows,
  type TestRun,
} from "../../testing/mod.ts";
import { unevaluatedPolicies } from "../diagnostics.ts";
import { writeRecording } from "../image_recording.ts";
import { painter } from "../paint.ts";
import type { Terminal } from "../terminal.ts";
import { version } from "../version.ts";
import { type TestOutput, type TestOutputOptions, testOutputs, type TestReportFile } from "./outputs.ts";

/** The output format of a session, and the options with which its tests run. */
export interface TestSessionOptions {
  /** The one document of standard output. */
  readonly outputFormat?: TestOutput;
  readonly failOnly: boolean;
  readonly detailedResults: boolean;
  readonly removeColor: boolean;
  /** Whether remarks count as failures. */
  readonly strict: boolean;
  readonly dialect: Dialect;
  /** Whether to write the answers of registries beside the tests. */
  readonly recordImages: boolean;
}

/** The terminal, the source of images and the names of files of a session. */
export interface TestSources {
  readonly terminal: Terminal;
  readonly lookup: ImageLookup | undefined;
  /** The name of a file in messages. */
  readonly named: (file: string) => string;
}

/** One run of all tests of a command. It keeps the counts, and the rows for formats that show all at the end. */
export class TestSession {
  readonly #options: TestSessionOptions;
  readonly #terminal: Terminal;
  readonly #table: TestOutputOptions;
  readonly #lookup: ImageLookup | undefined;
  readonly #named: (file: string) => string;
  /** The recorder of registry answers for each test folder. */
  readonly #recorders = new Map<string, ImageRecorder>();
  readonly #rows: TestRow[] = [];
  readonly #files = new Set<string>();
  #remarks = 0;
  #errors = 0;

  constructor(options: TestSessionOptions, { terminal, lookup, named }: TestSources) {
    this.#options = options;
    this.#named = named;
    this.#terminal = terminal;
    this.#lookup = lookup;
    const removeColor = options.removeColor || options.outputFormat !== undefined;
    this.#table = {
      detailed: options.detailedResults,
      paint: painter(terminal, { removeColor }),
      folder: Deno.cwd(),
      version,
    };
  }

  /** The files and folders that tests named. */
  get files(): readonly string[] {
    return [...this.#files];
  }

  /** Prints diagnostics and counts the errors. */
  note(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.#terminal.err(formatDiagnostic(this.#located(diagnostic)));
    this.#errors += diagnostics.filter(({ severity }) => severity === "error").length;
  }

  /** A diagnostic or a row whose position has the name of its file. */
  #located<T extends { readonly position?: Position }>(item: T): T {
    const { position } = item;
    return position === undefined
      ? item
      : { ...item, position: { ...position, file: this.#named(position.file) } };
  }

  /** Starts reading and running a test. */
  start(found: FoundTest): Promise<TestRun> {
    const lookup = this.#lookup, recorder = this.#recorderFor(found);
    return runTest(found, {
      dialect: this.#options.dialect,
      lookup: lookup && ((reached) => lookup.ports(reached, recorder)),
    });
  }

  #recorderFor({ folder }: FoundTest): ImageRecorder | undefined {
    if (!this.#options.recordImages) return undefined;
    const recorder = this.#recorders.get(folder) ?? new ImageRecorder();
    this.#recorders.set(folder, recorder);
    return recorder;
  }

  /** Compares the results of a run with the expectations and prints them. */
  async compare(found: FoundTest, expectations: readonly Expectation[], run: TestRun): Promise<void> {
    const { resources, exceptions, files } = run.input;
    for (const file of files) this.#files.add(file);
    for (const line of loadingLines({ ...found, file: this.#named(found.file) })) this.#print(line);
    this.#print(
      `  Applying ${count(run.snapshot.policies.length, "policy", "policies")} to ${
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
    this.#print("  Checking results ...");
    this.#rows.push(...rows.map((row) => this.#located(row)));
    this.#remarks += noted.filter(({ severity }) => severity !== "error").length;
    const { outputFormat, failOnly } = this.#options;
    if (outputFormat === undefined && !failOnly) this.#print(`\n${testTable(rows, this.#table)}\n`);
    const unevaluated = unevaluatedPolicies(run.snapshot, { showsDeleting: true });
    this.note([...run.diagnostics, ...unevaluated, ...noted]);
    if (outputFormat === undefined) {
      for (const row of rows.filter(isFailure)) this.#print(`${explained(row).join("\n")}\n`);
    }
  }

  /** Prints the summary and writes the documents that show all rows. Returns the exit code. */
  async finish(files: readonly TestReportFile[]): Promise<number> {
    const { outputFormat, failOnly, strict } = this.#options;
    const failed = this.#rows.filter(isFailure);
    const [all, fails] = [this.#rows.length, failed.length];
    this.#print(
      failOnly
        ? `\nTest Summary: ${fails} out of ${all} tests failed\n`
        : `\nTest Summary: ${all - fails} tests passed and ${fails} tests failed\n`,
    );
    const shown = failOnly ? failed : this.#rows;
    if (outputFormat !== undefined) this.#terminal.out(testOutputs[outputFormat](shown, this.#table));
    else if (failOnly && fails > 0) {
      this.#print(`Aggregated Failed Test Cases : \n${testTable(failed, this.#table)}`);
    }
    for (const { format, path } of files) await this.#write(path, testOutputs[format](shown, this.#table));
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
      const message = `cannot write to ${path}: ${fileProblem(cause, "write")}`;
      this.note([{ severity: "error", code: "unwritable", message }]);
    }
  }

  #print(text: string): void {
    if (this.#options.outputFormat === undefined) this.#terminal.out(text);
    else this.#terminal.err(text);
  }
}

/** The lines that Kyverno prints while it loads a test. */
function loadingLines({ test, file }: FoundTest): string[] {
  return [
    `Loading test ${test.name} ( ${file} ) ...`,
    "  Loading values/variables ...",
    ...test.userinfo === undefined ? [] : ["  Loading user infos ..."],
    "  Loading policies ...",
    "  Loading resources ...",
    ...test.jsonPayloads.length === 0 ? [] : ["  Loading JSON payloads ..."],
    // Kyverno parity: this line has no indent. Pinned by "test says that it reads the objects of the cluster".
    ...test.clusterResources.length === 0 ? [] : ["Loading Kubernetes resources ..."],
    "  Loading exceptions ...",
  ];
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
