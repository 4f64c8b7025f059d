import { type Diagnostic, fileProblem } from "../diagnostics/mod.ts";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import { findFiles } from "../adapters/mod.ts";
import { findTestFiles } from "../testing/mod.ts";
import { counted } from "./counted.ts";
import { Diagnostics } from "./diagnostics.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `fix test`. */
export interface FixTestArguments {
  readonly paths: readonly string[];
  readonly fileName: string;
  readonly save: boolean;
  readonly compress: boolean;
}

/** Changes a document and returns a line about each change. */
type Change = (document: Document) => string[];

/** `fix test`: converts test files to the current format. Exit code 1 when it cannot read a file. */
export async function fixTests(
  { paths, fileName, save, compress }: FixTestArguments,
  terminal: Terminal,
): Promise<number> {
  const diagnostics = new Diagnostics(terminal);
  const { files, diagnostics: missing } = await findTestFiles(paths, fileName);
  diagnostics.add(...missing);
  return await fixFiles(files, {
    change: (document) => fixTest(document, compress),
    save,
    diagnostics,
    terminal,
  });
}

/** `fix policy`: converts policies to the current format. Exit code 1 when it cannot read a file. */
export async function fixPolicies(
  { paths, save }: { readonly paths: readonly string[]; readonly save: boolean },
  terminal: Terminal,
): Promise<number> {
  const diagnostics = new Diagnostics(terminal);
  const { files, diagnostics: missing } = await findFiles(paths);
  diagnostics.add(...missing);
  return await fixFiles(files.map(({ file }) => file), { change: fixPolicy, save, diagnostics, terminal });
}

interface FixOptions {
  readonly change: Change;
  readonly save: boolean;
  readonly diagnostics: Diagnostics;
  readonly terminal: Terminal;
}

async function fixFiles(files: readonly string[], options: FixOptions): Promise<number> {
  const { diagnostics, terminal } = options;
  let changed = 0;
  for (const file of files) if (await fixFile(file, options)) changed++;
  if (changed === 0 && diagnostics.errors === 0) {
    terminal.err(`nothing to fix in ${counted(files.length, "file")}`);
  }
  return diagnostics.errors > 0 ? 1 : 0;
}

/** Changes a file, or prints it changed; returns whether it had to be changed. */
async function fixFile(
  file: string,
  { change, save, diagnostics, terminal }: FixOptions,
): Promise<boolean> {
  let access: "read" | "write" = "read";
  try {
    const documents = parseAllDocuments(await Deno.readTextFile(file));
    if ("empty" in documents) return false;
    const broken = documents.flatMap(({ errors }) => errors).at(0);
    if (broken !== undefined) {
      diagnostics.add(yamlProblem(file, broken));
      return false;
    }
    const remarks = documents.flatMap((document) => isMap(document.contents) ? change(document) : []);
    if (remarks.length === 0) return false;
    terminal.err(`${file}:${remarks.map((remark) => `\n  ${remark}`).join("")}`);
    const text = documents.map((document) =>
      document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false })
    ).join("");
    if (!save) terminal.out(text.trimEnd());
    else {
      access = "write";
      await Deno.writeTextFile(file, text);
    }
    return true;
  } catch (cause) {
    const position = { file, line: 1, column: 1 }, message = fileProblem(cause, access);
    diagnostics.add({ severity: "error", code: "unreadable-file", message, position });
    return false;
  }
}

function yamlProblem(file: string, { message, linePos }: YAMLParseError): Diagnostic {
  const { line, col: column } = linePos?.[0] ?? { line: 1, col: 1 };
  return {
    severity: "error",
    code: "invalid-yaml",
    message: message.replace(/ at line \d[^]*/, ""),
    position: { file, line, column },
  };
}

/** Kyverno parity: `fix test` moves and removes these fields. Pinned by tests/cli/fix_test.ts. */
function fixTest(document: Document, compress: boolean): string[] {
  const remarks: string[] = [];
  const isTest = document.has("results") || document.get("kind") === "Test";
  if (!isTest) return remarks;
  const root = document.contents as YAMLMap;
  if (document.has("name")) {
    remarks.push("name is deprecated, moving it into metadata.name");
    document.setIn(["metadata", "name"], document.get("name"));
    document.delete("name");
  }
  for (const [key, value] of [["kind", "Test"], ["apiVersion", "cli.kyverno.io/v1alpha1"]] as const) {
    if (document.has(key)) continue;
    remarks.push(`${key} is not set, setting ${value}`);
    root.items.unshift(document.createPair(key, value));
  }
  const results = document.get("results");
  if (!isSeq(results)) return remarks;
  for (const item of results.items) if (isMap(item)) remarks.push(...fixResult(item, document));
  if (compress) {
    const kept = joinedResults(results.items.filter(isMap));
    if (kept.length < results.items.length) {
      remarks.push("results that differ in their resources only are joined");
    }
    results.items = kept;
  }
  return remarks;
}

/** Older names of the fields that identify a result's policy and resource. */
const renamed: readonly (readonly [string, string])[] = [
  ["status", "result"],
  ["patchedResource", "patchedResources"],
];

function fixResult(result: YAMLMap, document: Document): string[] {
  const remarks: string[] = [];
  for (const [before, after] of renamed) {
    if (!result.has(before)) continue;
    remarks.push(`results: ${before} is deprecated, using ${after}`);
    if (!result.has(after)) result.set(after, result.get(before));
    result.delete(before);
  }
  const namespace = result.get("namespace");
  if (result.has("resource")) {
    remarks.push("results: resource is deprecated, using resources");
    const name = String(result.get("resource"));
    const listed = result.get("resources");
    const names = isSeq(listed) ? listed.toJSON() as unknown[] : [];
    const full = typeof namespace === "string" ? `${namespace}/${name}` : name;
    result.set("resources", document.createNode([...names, full]));
    result.delete("resource");
    if (typeof namespace === "string") {
      remarks.push("results: namespace is deprecated, naming it with the resource");
      result.delete("namespace");
    }
  }
  const resources = result.get("resources");
  if (isSeq(resources)) {
    const names = resources.items.map((item) => isScalar(item) ? item.value : item);
    const distinct = resources.items.filter((_, index) => names.indexOf(names[index]) === index);
    if (distinct.length < resources.items.length) remarks.push("results: resources are named twice");
    resources.items = distinct;
  }
  return remarks;
}

/** Joins results that differ only in their resources. */
function joinedResults(results: readonly YAMLMap[]): YAMLMap[] {
  const joined = new Map<string, YAMLMap>();
  for (const result of results) {
    const { resources: _, ...rest } = result.toJSON() as Record<string, unknown>;
    const key = JSON.stringify(Object.entries(rest).sort());
    const first = joined.get(key);
    const [resources, more] = [first?.get("resources"), result.get("resources")];
    if (first !== undefined && isSeq(resources) && isSeq(more)) resources.items.push(...more.items);
    else joined.set(first === undefined ? key : `${key} ${joined.size}`, result);
  }
  return [...joined.values()];
}

/** Operators that have newer names. Kyverno parity: `fix policy` replaces them. Pinned by tests/cli/fix_test.ts. */
const operators: Readonly<Record<string, string>> = {
  Equal: "Equals",
  NotEqual: "NotEquals",
  In: "AllIn",
  NotIn: "AnyNotIn",
};

/** Kyverno parity: `fix policy` moves these fields. Pinned by tests/cli/fix_test.ts. */
function fixPolicy(document: Document): string[] {
  const remarks: string[] = [];
  if (!/^(?:Cluster)?Policy$/.test(String(document.get("kind")))) return remarks;
  const action = document.getIn(["spec", "validationFailureAction"]);
  if (action === "enforce" || action === "audit") {
    const newer = action === "enforce" ? "Enforce" : "Audit";
    remarks.push(`validationFailureAction uses an old value, now ${newer}`);
    document.setIn(["spec", "validationFailureAction"], newer);
  }
  const rules = document.getIn(["spec", "rules"]);
  if (!isSeq(rules)) return remarks;
  for (const rule of rules.items.filter(isMap)) {
    for (const part of ["match", "exclude"]) {
      const block = rule.get(part);
      if (isMap(block) && fixBlock(block, document)) remarks.push(`${part} uses old syntax, moving to any`);
    }
    remarks.push(...fixConditions(rule, document));
  }
  return remarks;
}

/** `match.resources` as `match.any[0].resources`. */
function fixBlock(block: YAMLMap, document: Document): boolean {
  const old = block.items.filter((pair) => {
    const key = isScalar(pair.key) ? String(pair.key.value) : "";
    return ["resources", "subjects", "roles", "clusterRoles"].includes(key);
  });
  if (old.length === 0) return false;
  const filter = document.createNode({}) as YAMLMap;
  filter.items.push(...old);
  block.items = block.items.filter((pair) => !old.includes(pair));
  const any = block.get("any");
  if (isSeq(any)) any.items.push(filter);
  else {
    const list = document.createNode([]);
    (list as unknown as { items: unknown[] }).items.push(filter);
    block.set("any", list);
  }
  return true;
}

function fixConditions(rule: YAMLMap, document: Document): string[] {
  const remarks: string[] = [];
  const given = rule.get("preconditions");
  if (isSeq(given)) {
    remarks.push("preconditions are an old list, moving to all");
    const block = document.createNode({}) as YAMLMap;
    block.set("all", given);
    rule.set("preconditions", block);
  }
  const block = rule.get("preconditions");
  if (!isMap(block)) return remarks;
  for (const form of ["any", "all"]) {
    const list = block.get(form);
    if (!isSeq(list)) continue;
    for (const condition of list.items.filter(isMap)) {
      const operator = String(condition.get("operator"));
      const newer = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
      if (newer === undefined) continue;
      remarks.push(`condition uses old operator ${operator}, now ${newer}`);
      condition.set("operator", newer);
    }
  }
  return remarks;
}
