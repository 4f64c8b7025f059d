import type { Applied } from "../../apply/mod.ts";
import type { Snapshot } from "../../engine/mod.ts";
import type { ReportedObject, ReportSummary } from "../../report/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import type { ProgressBar } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { withoutCommands } from "../workflow_commands.ts";
import { exceptionsFor } from "./exceptions.ts";
import { ResultTable, type ResultTableOptions } from "./result_table.ts";
import {
  failureText,
  objectParts,
  type OutputPart,
  OutputText,
  skippedText,
  type StartCounts,
  startText,
  summaryText,
} from "./text.ts";

/** The options of `apply` that say which content standard output has. */
export interface PrintArguments extends ResultTableOptions {
  readonly table: boolean;
  /** Whether to print only changed and generated objects, for `kubectl apply -f -`. */
  readonly stdin: boolean;
  readonly generateExceptions: boolean;
  /** The format of the policy report and of generated exceptions. */
  readonly outputFormat: "json" | "yaml";
}

interface RunOutputOptions {
  readonly args: PrintArguments;
  /** The time to live of generated exceptions, in nanoseconds. */
  readonly ttl: bigint;
  /** Whether a report is written to standard output. */
  readonly isReport: boolean;
  /** Whether changed and generated objects are written to files. */
  readonly hasFiles: boolean;
  readonly terminal: Terminal;
}

/** The standard output of one run of `apply`: text for people, or one document for programs. */
export class RunOutput {
  readonly #options: RunOutputOptions;
  readonly #terminal: Terminal;
  readonly #table: ResultTable;
  readonly #prints: "text" | "table" | "objects" | "exceptions" | "report";
  readonly #parts = new OutputText();
  #progress: ProgressBar | undefined;

  constructor(options: RunOutputOptions) {
    const { args, isReport, terminal } = options;
    this.#options = options;
    this.#terminal = terminal;
    this.#table = new ResultTable(terminal, args);
    this.#prints = isReport
      ? "report"
      : args.generateExceptions
      ? "exceptions"
      : args.stdin
      ? "objects"
      : args.table
      ? "table"
      : "text";
  }

  /** Prints the lines before the first object, and clears the bar of progress before each further text. */
  start(
    snapshot: Snapshot,
    counts: StartCounts,
    progress: ProgressBar,
  ): void {
    this.#progress = progress;
    if (this.#prints !== "text" && this.#prints !== "table") return;
    this.#print([{ text: startText(snapshot, counts) }]);
    const skipped = skippedText(snapshot);
    if (skipped !== "") this.#print([{ text: skipped }]);
  }

  /** Prints what became of one object. */
  add(applied: Applied, reported: ReportedObject): void {
    const { args: { auditWarn }, hasFiles } = this.#options;
    if (this.#prints === "text") {
      this.#print(objectParts(applied, { auditWarn, objects: !hasFiles }));
      return;
    }
    const text = this.#documentOf(applied, reported);
    // Standard output is for the objects alone, so the reason of the exit code goes to standard error.
    const failures = this.#prints === "objects" ? failureText(applied.results, { auditWarn }) : "";
    if (text === "" && failures === "") return;
    this.#progress?.clear();
    if (text !== "") this.#terminal.out(text);
    if (failures !== "") this.#terminal.err(failures);
  }

  /** Prints the rest of the table, and the numbers of results. */
  end(summary: ReportSummary): void {
    if (this.#prints === "table" && this.#table.isDue) this.#printTable();
    if (this.#prints === "text") this.#print([{ text: summaryText(summary) }]);
    else if (this.#prints === "objects") this.#terminal.err(summaryText(summary));
  }

  /** Writes a line below the summary or the table; a document on standard output stays alone. */
  note(line: string): void {
    if (this.#prints === "text" || this.#prints === "table") this.#terminal.out(line);
    else this.#terminal.err(line);
  }

  /** Prints the next parts of the text for users. */
  #print(parts: readonly OutputPart[]): void {
    if (parts.length === 0) return;
    this.#progress?.clear();
    this.#terminal.out(withoutCommands(this.#parts.join(parts)));
  }

  #documentOf(applied: Applied, reported: ReportedObject): string {
    const { args: { auditWarn, outputFormat }, ttl } = this.#options;
    switch (this.#prints) {
      case "table":
        this.#table.add(reported);
        if (this.#table.isFull) this.#printTable();
        return "";
      case "objects":
        return [
          ...applied.mutated === undefined ? [] : [applied.mutated],
          ...applied.steps.flatMap(({ targets }) => targets),
          ...applied.steps.flatMap(({ generated }) => generated),
        ]
          .map((object) => `${toYaml(object)}---`).join("\n");
      case "exceptions":
        return exceptionsFor(reported, { auditWarn, ttl }).map((each) =>
          outputFormat === "json" ? `---\n${JSON.stringify(each)}` : `---\n${toYaml(each)}`
        ).join(outputFormat === "json" ? "\n" : "");
      case "text":
      case "report":
        return "";
    }
  }

  #printTable(): void {
    this.#progress?.clear();
    this.#table.print();
  }
}
