import { applyPolicies, Cleanups, type GivenObject, MissingInputs, Tally } from "../../apply/mod.ts";
import { commandOptions } from "../../engine/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { isFault } from "../../json/mod.ts";
import { nameOf, parseDuration } from "../../kube/mod.ts";
import { interruptedCode, type Interruption, watchInterruption } from "../interruption.ts";
import { ObjectFiles } from "../output.ts";
import { openProgress, type ProgressBar } from "../progress.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { version } from "../version.ts";
import { type ApplyInputArguments, type ApplyInputs, openInputs } from "./inputs.ts";
import { type ClusterArguments, type NextObject, objectsToCheck } from "./objects.ts";
import { type OutputChoice, outputChoice, ReportFiles } from "./outputs.ts";
import { type PrintArguments, RunOutput } from "./run_output.ts";

/** The options of `apply`. */
export interface ApplyArguments extends ApplyInputArguments, ClusterArguments, PrintArguments {
  /** `FORMAT=PATH` for reports, a path for changed and generated objects. */
  readonly output: readonly string[];
  readonly policyReport: boolean;
  readonly warnExitCode: number;
  readonly warnNoPass: boolean;
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
  const inputs = await openInputs(args, terminal, { showsCleanups: true });
  if (isFault(inputs)) return unusable(inputs.message, terminal);
  await using opened = inputs;
  const cleanups = new Cleanups(opened.snapshot, commandOptions(args));
  opened.diagnostics.add(...cleanups.diagnostics);
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
  const isReport = requested(choice, args).some(({ path }) => path === "-");
  const output = new RunOutput({ args, ttl, isReport, hasFiles: objects !== undefined, terminal });
  return await new ApplyRun({ args, inputs: opened, cleanups, output, reports: files, objects, terminal })
    .run();
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
  readonly inputs: ApplyInputs;
  readonly cleanups: Cleanups;
  readonly output: RunOutput;
  readonly reports: ReportFiles;
  /** The files for changed and generated objects; `undefined` for the terminal. */
  readonly objects: ObjectFiles | undefined;
  readonly terminal: Terminal;
}

/** The most objects to read before printing the first line, which shows the number of objects. */
const mostAhead = 300;

/** One run of the command. */
class ApplyRun {
  readonly #args: ApplyArguments;
  readonly #objects: ObjectFiles | undefined;
  readonly #inputs: ApplyInputs;
  readonly #cleanups: Cleanups;
  readonly #reports: ReportFiles;
  readonly #output: RunOutput;
  readonly #terminal: Terminal;
  readonly #tally: Tally;
  readonly #missing: MissingInputs;
  #progress: ProgressBar | undefined;
  /** The number of bytes read from the files, and the files' total size. */
  #read = { bytes: 0, of: 0 };

  constructor({ args, inputs, cleanups, output, reports, objects, terminal }: ApplyRunOptions) {
    this.#args = args;
    this.#objects = objects;
    this.#inputs = inputs;
    this.#cleanups = cleanups;
    this.#reports = reports;
    this.#output = output;
    this.#terminal = terminal;
    this.#tally = new Tally(args);
    this.#missing = new MissingInputs(inputs.options);
  }

  async run(): Promise<number> {
    using interruption = watchInterruption();
    this.#progress = await openProgress(this.#terminal);
    const began = performance.now();
    const objects = objectsToCheck(this.#args, this.#inputs, this.#cleanups.snapshots);
    const { first, isAll } = await readAhead(objects, interruption);
    const count = first.filter(({ kind }) => kind === "object").length;
    const { snapshot, exceptions } = this.#inputs;
    const counts = { cleanups: this.#cleanups.count, resources: isAll ? count : undefined, exceptions };
    this.#output.start(snapshot, counts, this.#progress);
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
    const results = payload !== undefined ? applied.results.filter(({ policy }) => !hasRules(policy.kind)) : [
      ...applied.results,
      ...await this.#cleanups.results(applied.mutated ?? object, this.#inputs.options),
    ];
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
    this.#output.add({ ...applied, results }, reported);
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
    this.#output.end(summary);
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
      this.#output.note(`exit as warnExitCode is ${warnExitCode}`);
      return warnExitCode;
    }
    if (pass === 0 && warnNoPass) {
      this.#output.note("exit as no objects satisfied policy");
      return warnExitCode;
    }
    return 0;
  }
}

/** Reads the first objects. Ctrl-C ends the command even while it waits for input. */
async function readAhead(
  objects: AsyncGenerator<NextObject>,
  interruption: Interruption,
): Promise<{ first: NextObject[]; isAll: boolean }> {
  const first: NextObject[] = [];
  while (first.length < mostAhead) {
    const next = await interruption.before(objects.next());
    if (next === undefined || next.done === true) return { first, isAll: true };
    first.push(next.value);
  }
  return { first, isAll: false };
}
