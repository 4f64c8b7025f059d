import { type Applied, applyPolicies, type GivenObject, MissingInputs, Tally } from "../../apply/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { isFault } from "../../json/mod.ts";
import { nameOf, parseDuration } from "../../kube/mod.ts";
import type { ReportedObject } from "../../report/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { interruptedCode, type Interruption, watchInterruption } from "../interruption.ts";
import { ObjectFiles } from "../output.ts";
import { openProgress, type ProgressBar } from "../progress.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { version } from "../version.ts";
import { exceptionsFor } from "./exceptions.ts";
import { type ApplyInputArguments, type ApplyInputs, openInputs } from "./inputs.ts";
import { type ClusterArguments, type NextObject, objectsToCheck } from "./objects.ts";
import { type OutputChoice, outputChoice, ReportFiles } from "./outputs.ts";
import { ResultTable } from "./result_table.ts";
import {
  failureText,
  objectParts,
  type OutputPart,
  OutputText,
  skippedText,
  startText,
  summaryText,
} from "./text.ts";

/** The options of `apply`. */
export interface ApplyArguments extends ApplyInputArguments, ClusterArguments {
  /** `FORMAT=PATH` for reports, a path for changed and generated objects. */
  readonly output: readonly string[];
  readonly policyReport: boolean;
  readonly outputFormat: "json" | "yaml";
  readonly auditWarn: boolean;
  readonly warnExitCode: number;
  readonly warnNoPass: boolean;
  readonly table: boolean;
  readonly detailedResults: boolean;
  readonly removeColor: boolean;
  /** Whether to print only changed and generated objects, for `kubectl apply -f -`. */
  readonly stdin: boolean;
  readonly generateExceptions: boolean;
  readonly generatedExceptionTtl: string;
  readonly showPerformance: boolean;
}

/**
 * `apply POLICY… --resource PATH…`: applies policies to objects. It reads, decides and prints one object after the
 * other. Exit code 0 when it checked all objects and no rule fails; 1 for failures, errors and unusable input; 2 when
 * the command cannot run; 130 after Ctrl-C.
 */
export async function apply(args: ApplyArguments, terminal: Terminal): Promise<number> {
  const choice = outputChoice(args.output);
  if (isFault(choice)) return unusable(choice.message, terminal);
  const ttl = parseDuration(args.generatedExceptionTtl);
  if (ttl === undefined) {
    return unusable(
      `--generated-exception-ttl ${args.generatedExceptionTtl}: write a duration, such as 720h or 90m`,
      terminal,
    );
  }
  const inputs = await openInputs(args, terminal);
  if (isFault(inputs)) return unusable(inputs.message, terminal);
  await using opened = inputs;
  const reports = await ReportFiles.open(requested(choice, args), {
    now: opened.options.ports.clock.now(),
    version,
    auditWarn: args.auditWarn,
    folder: Deno.cwd(),
  }, terminal);
  if (isFault(reports)) return unusable(reports.message, terminal);
  await using files = reports;
  const objects = choice.objects === undefined ? undefined : new ObjectFiles(choice.objects);
  const problem = await objects?.open();
  if (problem !== undefined) return unusable(problem, terminal);
  return await new ApplyRun({ args, ttl, choice, inputs: opened, reports: files, objects, terminal }).run();
}

/** The reports that the options name; `--policy-report` names one on standard output. */
function requested(
  { reports }: OutputChoice,
  { policyReport, outputFormat }: ApplyArguments,
): OutputChoice["reports"] {
  if (!policyReport) return reports;
  return [...reports, { format: outputFormat === "json" ? "report-json" : "report", path: "-" }];
}

interface ApplyRunOptions {
  readonly args: ApplyArguments;
  /** The time to live of generated exceptions, in nanoseconds. */
  readonly ttl: bigint;
  readonly choice: OutputChoice;
  readonly inputs: ApplyInputs;
  readonly reports: ReportFiles;
  /** The files for changed and generated objects; `undefined` for the terminal. */
  readonly objects: ObjectFiles | undefined;
  readonly terminal: Terminal;
}

/** The most objects to read before printing the first line, which shows the number of objects. */
const READ_AHEAD = 300;

/** One run of the command. */
class ApplyRun {
  readonly #args: ApplyArguments;
  readonly #ttl: bigint;
  readonly #objects: ObjectFiles | undefined;
  readonly #inputs: ApplyInputs;
  readonly #reports: ReportFiles;
  readonly #terminal: Terminal;
  readonly #tally: Tally;
  readonly #missing: MissingInputs;
  readonly #table: ResultTable;
  /** The kind of standard output: text for people, or one document for programs. */
  readonly #prints: "text" | "table" | "objects" | "exceptions" | "report";
  readonly #parts = new OutputText();
  #progress: ProgressBar | undefined;
  /** The number of bytes read from the files, and the files' total size. */
  #read = { bytes: 0, of: 0 };

  constructor({ args, ttl, choice, inputs, reports, objects, terminal }: ApplyRunOptions) {
    this.#args = args;
    this.#ttl = ttl;
    this.#objects = objects;
    this.#inputs = inputs;
    this.#reports = reports;
    this.#terminal = terminal;
    this.#tally = new Tally(args);
    this.#table = new ResultTable(terminal, args);
    this.#missing = new MissingInputs(inputs.options);
    const isReport = requested(choice, args).some(({ path }) => path === "-");
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

  async run(): Promise<number> {
    using interruption = watchInterruption();
    this.#progress = await openProgress(this.#terminal);
    const began = performance.now();
    const objects = objectsToCheck(this.#args, this.#inputs);
    const { first, isAll } = await readAhead(objects, interruption);
    const count = first.filter(({ kind }) => kind === "object").length;
    this.#start(isAll ? count : undefined);
    // This frees each decided object: an object with its positions takes seven times the memory of its text.
    first.reverse();
    for (let next = first.pop(); next !== undefined && !interruption.happened; next = first.pop()) {
      await this.#take(next);
    }
    while (!interruption.happened) {
      const next = await interruption.before(objects.next());
      if (next === undefined || next.done === true) break;
      await this.#take(next.value);
    }
    this.#progress.close();
    if (this.#args.showPerformance) {
      this.#terminal.err(`${this.#tally.objects} objects in ${Math.round(performance.now() - began)} ms`);
    }
    const code = await this.#end();
    return interruption.happened ? interruptedCode : code;
  }

  #start(resources: number | undefined): void {
    if (this.#prints !== "text" && this.#prints !== "table") return;
    const { snapshot, exceptions } = this.#inputs;
    this.#print([{ text: startText(snapshot, { resources, exceptions }) }]);
    const skipped = skippedText(snapshot);
    if (skipped !== "") this.#print([{ text: skipped }]);
  }

  async #take(next: NextObject): Promise<void> {
    if (next.kind === "problem") {
      this.#progress?.clear();
      this.#inputs.diagnostics.add(next.diagnostic);
    } else if (next.kind === "progress") this.#read = next;
    else await this.#check(next.given, next.payload);
    const { bytes, of } = this.#read;
    this.#progress?.update(bytes, of, `${this.#tally.objects} objects`);
  }

  async #check({ object, positionOf }: GivenObject, payload: "json" | "yaml" | undefined): Promise<void> {
    const applied = await applyPolicies(object, { ...this.#inputs.options, payload });
    // Kyverno parity: classic policies apply to Kubernetes objects, CEL policies to any JSON. Pinned by
    // "--json applies policies in CEL to payloads, each item of a list for itself".
    const results = payload !== undefined
      ? applied.results.filter(({ policy }) => !hasRules(policy.kind))
      : applied.results;
    this.#tally.add(results);
    for (const { policy, rules } of results) {
      for (const rule of rules) {
        this.#inputs.diagnostics.add(...this.#missing.of(policy.key, rule, nameOf(object)));
      }
    }
    const reported = { resource: applied.resource, results, ...(positionOf !== undefined && { positionOf }) };
    await this.#reports.add(reported);
    const problem = await this.#objects?.write(applied.outputs);
    if (problem !== undefined) {
      this.#inputs.diagnostics.add({ severity: "error", code: "unwritable", message: problem });
    }
    if (this.#prints === "text") {
      const { auditWarn } = this.#args;
      this.#print(objectParts({ ...applied, results }, { auditWarn, objects: this.#objects === undefined }));
      return;
    }
    const text = this.#documentOf(applied, reported);
    // Standard output is for the objects alone, so the reason of the exit code goes to standard error.
    const failures = this.#prints === "objects" ? failureText(results, this.#args) : "";
    if (text === "" && failures === "") return;
    this.#progress?.clear();
    if (text !== "") this.#terminal.out(text);
    if (failures !== "") this.#terminal.err(failures);
  }

  /** Prints the next parts of the text for users. */
  #print(parts: readonly OutputPart[]): void {
    if (parts.length === 0) return;
    this.#progress?.clear();
    this.#terminal.out(this.#parts.join(parts));
  }

  #documentOf(applied: Applied, reported: ReportedObject): string {
    const { auditWarn } = this.#args;
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
        return exceptionsFor(reported, { auditWarn, ttl: this.#ttl }).map((each) => `---\n${toYaml(each)}`)
          .join("");
      case "text":
      case "report":
        return "";
    }
  }

  #printTable(): void {
    this.#progress?.clear();
    this.#table.print();
  }

  async #end(): Promise<number> {
    const { snapshot, diagnostics } = this.#inputs;
    const summary = this.#tally.summary(snapshot);
    if (this.#tally.objects === 0) {
      diagnostics.add({
        severity: "error",
        code: "nothing-checked",
        message: "There was no object to check",
      });
    }
    await this.#reports.end({ summary, diagnostics: diagnostics.all });
    if (this.#prints === "table" && this.#table.isDue) this.#printTable();
    if (this.#prints === "text") this.#print([{ text: summaryText(summary) }]);
    else if (this.#prints === "objects") this.#terminal.err(summaryText(summary));
    return this.#exitCode(summary);
  }

  /**
   * Kyverno parity: the codes and their order. Unlike Kyverno, Postern continues after unusable input. Pinned by
   * tests/cli/apply_test.ts.
   */
  #exitCode({ pass, fail, warn, error }: ReturnType<Tally["summary"]>): number {
    const { warnExitCode, warnNoPass } = this.#args;
    if (fail > 0 || error > 0 || this.#inputs.diagnostics.errors > 0) return 1;
    if (warn > 0 && warnExitCode !== 0) {
      this.#note(`exit as warnExitCode is ${warnExitCode}`);
      return warnExitCode;
    }
    if (pass === 0 && warnNoPass) {
      this.#note("exit as no objects satisfied policy");
      return warnExitCode;
    }
    return 0;
  }

  /** Writes a line below the summary, where the output is text; a document on standard output stays alone. */
  #note(line: string): void {
    if (this.#prints === "text") this.#terminal.out(line);
    else this.#terminal.err(line);
  }
}

/** Reads the first objects. Ctrl-C ends the command even while it waits for input. */
async function readAhead(
  objects: AsyncGenerator<NextObject>,
  interruption: Interruption,
): Promise<{ first: NextObject[]; isAll: boolean }> {
  const first: NextObject[] = [];
  while (first.length < READ_AHEAD) {
    const next = await interruption.before(objects.next());
    if (next === undefined || next.done === true) return { first, isAll: true };
    first.push(next.value);
  }
  return { first, isAll: false };
}
