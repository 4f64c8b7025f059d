import { systemClock, systemEntropy } from "../adapters/mod.ts";
import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import { compile, payloadItems, preprocess, scanPayload, type Snapshot } from "../engine/mod.ts";
import { Fault, goPrint, isFault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { compileLabelSelectorText } from "../kube/mod.ts";
import { payloadReport, scanLine } from "../report/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import { counted } from "./counted.ts";
import { standardInputProblem } from "./standard_input.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The options of `json scan`. */
export interface JsonScanArguments {
  /** YAML or JSON; several documents, or a list, are several values. */
  readonly payload: string;
  readonly policies: readonly string[];
  /** Expressions that transform the payload first, one after the other. */
  readonly preprocessors: readonly string[];
  /** Label selectors. The command applies the policies whose labels match all of them. */
  readonly labels: readonly string[];
  /** A file whose fields expressions can read as `$name`. */
  readonly bindings?: string;
  readonly output: "text" | "json";
}

const noPolicies = "no policies: name ValidatingPolicies of json.kyverno.io/v1alpha1 with --policy";

/**
 * `json scan --payload FILE --policy FILE…`: applies JSON policies to any YAML or JSON. Exit code 0 when every check
 * holds, 1 when one fails or cannot be evaluated or a policy cannot be used, 2 when the command cannot read a file.
 */
export async function jsonScan(args: JsonScanArguments, terminal: Terminal): Promise<number> {
  const print = (line: string): void => args.output === "text" ? terminal.out(line) : undefined;
  const twice = standardInputProblem({
    policies: args.policies,
    payload: [args.payload],
    bindings: [args.bindings],
  });
  if (twice !== undefined) return unusable(twice, terminal);
  print("Loading policies ...");
  const loaded = await loadPolicies(args, terminal);
  if (typeof loaded === "number") return loaded;
  const bindings = await loadBindings(args.bindings, print);
  if (isFault(bindings)) return unusable(bindings.message, terminal);
  const ports = { clock: systemClock(), entropy: systemEntropy(), bindings };
  print("Loading payload ...");
  const payload = await loadPayload(args.payload, terminal);
  if (payload === undefined) return 2;
  if (payload === null) return unusable("payload is `null`", terminal);
  print("Pre processing ...");
  const preprocessed = preprocess(payload, args.preprocessors, ports);
  if (isFault(preprocessed)) return unusable(preprocessed.message, terminal);
  const items = payloadItems(preprocessed), { policies } = loaded;
  const resources = items.length === 1 ? "resource" : "resources";
  const against = counted(policies.length, "policy", "policies");
  print(`Running ( evaluating ${items.length} ${resources} against ${against} ) ...`);
  const reports: JsonObject[] = [];
  let failing = 0;
  for (const item of items) {
    // In a list of payloads, a payload that is itself a list is one value.
    const scans = policies.map((policy) => ({ policy, results: scanPayload([policy], [item], ports) }));
    const results = scans.flatMap((scan) => scan.results);
    failing += results.filter(({ result }) => result !== "pass").length;
    for (const result of results) print(scanLine(result));
    if (args.output === "json") reports.push(payloadReport(item, scans));
  }
  print("Done");
  if (args.output === "json") terminal.out(JSON.stringify(reports, null, 2));
  return loaded.haveErrors || failing > 0 ? 1 : 0;
}

/** The policies to apply, and whether some cannot be used. */
interface LoadedPolicies {
  readonly policies: Snapshot["jsonPolicies"];
  readonly haveErrors: boolean;
}

/** Loads the policies that have the labels, and prints what is wrong; without any it returns the exit code. */
async function loadPolicies(
  { policies: paths, labels }: JsonScanArguments,
  terminal: Terminal,
): Promise<LoadedPolicies | number> {
  const loaded = await loadDocuments(paths);
  const { jsonPolicies, diagnostics } = compile(loaded.documents);
  const problems = [...loaded.diagnostics, ...diagnostics];
  for (const diagnostic of problems) terminal.err(formatDiagnostic(diagnostic));
  const selects = compileLabelSelectorText(labels.join(","));
  if (isFault(selects)) return unusable(`--labels: ${selects.message}`, terminal);
  if (jsonPolicies.length === 0) {
    return loaded.diagnostics.some(isError) ? 2 : unusable(noPolicies, terminal);
  }
  const policies = jsonPolicies.filter(({ labels }) => selects(labels));
  if (policies.length === 0) return unusable(`--labels ${labels}: no policy has such labels`, terminal);
  return { policies, haveErrors: problems.some(isError) };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** Reads `--bindings`; without a file it binds no name. A fault explains why the file cannot be used. */
async function loadBindings(
  path: string | undefined,
  print: (line: string) => void,
): Promise<JsonObject | Fault> {
  if (path === undefined) return {};
  print("Loading bindings ...");
  const { documents, diagnostics } = await loadDocuments([path]);
  const [problem] = diagnostics.filter(isError);
  if (problem !== undefined) return new Fault(`--bindings ${path}: ${problem.message}`);
  const value = documents[0]?.value ?? {};
  if (!isObject(value) || documents.length > 1) {
    return new Fault(`--bindings ${path}: it must hold one map of names and values`);
  }
  for (const [name, bound] of Object.entries(value)) print(`- ${name} -> ${goPrint(bound)}`);
  return value;
}

/** The payload: one document, or all of several as a list; `undefined` where it prints why there is none. */
async function loadPayload(path: string, terminal: Terminal): Promise<Json | undefined> {
  const { documents, diagnostics } = await loadDocuments([path]);
  for (const diagnostic of diagnostics) terminal.err(formatDiagnostic(diagnostic));
  if (diagnostics.some(isError)) return undefined;
  const values = documents.map(({ value }) => value);
  return values.length === 1 ? values[0]! : values.length === 0 ? null : values;
}
