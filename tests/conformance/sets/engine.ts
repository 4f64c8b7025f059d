import { join } from "node:path";
import {
  applyPolicies,
  noValues,
  openList,
  readUser,
  readValues,
  withNamespace,
} from "../../../lib/apply/mod.ts";
import { compile, type Snapshot } from "../../../lib/engine/mod.ts";
import { asString, dig, goJson, isObject, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { reportedResult } from "../../../lib/report/mod.ts";
import { parseDocuments, type YamlDocument } from "../../../lib/yaml/mod.ts";
import type { Ports } from "../../../lib/ports.ts";
import { compareRows } from "../compare_rows.ts";
import type { AbsentSource } from "../../../lib/context/mod.ts";
import { clusterPorts } from "../ports.ts";
import { type Check, checkText, type ConformanceSet, type Row } from "../set.ts";

/** Kyverno's answer to a case: rows of its policy report, and the files that it wrote. */
interface Expected {
  readonly results: readonly (readonly string[])[];
  /** The policy was not accepted, with these words. */
  readonly refused?: string;
  readonly outputs?: Readonly<Record<string, readonly Json[]>>;
}

/** Groups of cases by what their policies need; a case belongs to the first group that fits. */
const groups = ["generate", "verifyImages", "cel", "kyverno"] as const;

type Group = typeof groups[number];

const goals: Readonly<Record<Group, Readonly<Record<string, number>>>> = {
  generate: { result: 0.99, message: 0.98, outputs: 0.99 },
  verifyImages: { result: 0, message: 0 },
  cel: { result: 0.99, message: 0.98, outputs: 0.99 },
  kyverno: { result: 0.995, message: 0.98, outputs: 0.99 },
};

/** Policies applied to objects as the command line does, each case a folder. */
export const engineSets: readonly ConformanceSet[] = groups.map((group) => ({
  name: `engine/${group}`,
  goals: goals[group],
  ...(group === "verifyImages" &&
    {
      pending:
        "engine/verifyImages: recorded without a network; verify-images/engine compares verification with a registry",
    }),
  rows: (corpus) => rows(join(corpus, "engine"), group),
}));

function* rows(root: string, group: Group): Generator<Row> {
  for (const entry of [...Deno.readDirSync(root)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    const folder = join(root, entry.name);
    const isCase = entry.isDirectory && filesOf(folder, /^expected\.json$/).length > 0;
    if (!isCase || groupOf(folder) !== group) continue;
    yield { id: entry.name, input: entry.name, check: () => checkCase(folder) };
  }
}

function groupOf(folder: string): Group {
  const text = filesOf(folder, /^policy\d*\.yaml$/).map((name) => Deno.readTextFileSync(join(folder, name)))
    .join("\n");
  if (/^kind: (Validating|Mutating|Generating|Deleting|ImageValidating|Namespaced)\w*Policy\b/m.test(text)) {
    return "cel";
  }
  if (
    /^kind: (Validating|Mutating)AdmissionPolicy/m.test(text) ||
    /^\s+(- )?(cel|assert|celPreconditions):/m.test(text)
  ) return "cel";
  if (/^\s+(- )?(verifyImages|manifests):/m.test(text)) return "verifyImages";
  return /^\s+(- )?(generate|targets):/m.test(text) ? "generate" : "kyverno";
}

function filesOf(folder: string, pattern: RegExp): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => pattern.test(name)).sort();
}

/** How the files of a case are read, and what its policies may ask. */
export interface CaseSources {
  text(path: string): string;
  ports(objects: readonly JsonObject[]): Ports;
  /** The sources of values that this case leaves out. */
  readonly absent: readonly AbsentSource[];
  /** Whether policies that name their namespace are reported with the others, by `NAMESPACE/NAME`. */
  readonly reports: "cluster" | "all";
}

const noSources: CaseSources = {
  text: (path) => Deno.readTextFileSync(path),
  ports: (objects) => clusterPorts(objects, { intake: "verbatim" }),
  absent: ["configMap", "globalReference", "imageRegistry", "downstream", "parameters"],
  reports: "cluster",
};

/** Compares one case, a folder, with what applying its policies says here. */
export async function checkCase(folder: string, sources: CaseSources = noSources): Promise<Check[]> {
  const documents = (pattern: RegExp): YamlDocument[] =>
    filesOf(folder, pattern).flatMap((name) => [
      ...parseDocuments(sources.text(join(folder, name)), name).documents,
    ]);
  const text = (name: string): string | undefined =>
    filesOf(folder, new RegExp(`^${name}$`)).length === 0 ? undefined : sources.text(join(folder, name));
  const expected = JSON.parse(text("expected.json")!) as Expected;
  const snapshot: Snapshot = compile([
    ...documents(/^policy\d*\.yaml$/),
    ...documents(/^exception\d*\.yaml$/),
  ], { dialect: "current" });
  if (expected.refused !== undefined) return [checkRefusal(expected.refused, snapshot)];
  const objects = documents(/^resources\.yaml$/).flatMap(({ value }) => openList(value)).map(withNamespace);
  const [values] = documents(/^values\.yaml$/), [user] = documents(/^userinfo\.yaml$/);
  const options = {
    snapshot,
    ports: sources.ports(objects),
    values: values === undefined ? noValues : readValues(values.value),
    user: user && readUser(user.value),
    absent: sources.absent,
  };
  const reported = clusterWide(snapshot);
  const rows: string[][] = [];
  const outputs: JsonObject[] = [];
  for (const object of objects) {
    const applied = await applyPolicies(object, options);
    for (const { policy, resource, rules } of applied.results) {
      if (sources.reports === "cluster" && !reported.has(policy.key)) continue;
      for (const rule of rules) {
        rows.push([
          sources.reports === "all" ? policy.key : policy.name,
          rule.rule,
          ...identity(resource),
          reportedResult(policy, rule),
          rule.message,
        ]);
      }
    }
    outputs.push(...applied.outputs.map((output) => output.object));
  }
  return [...compareRows(expected.results, rows, normal), ...compareOutputs(expected.outputs, outputs)];
}

/** A policy that Kyverno refuses must have an error; its words are compared without the value that they quote. */
function checkRefusal(refused: string, { diagnostics }: Snapshot): Check {
  const words = /^\(by the schema: (.*)\)$/.exec(refused)?.[1] === undefined
    ? refused.slice(refused.lastIndexOf(": ") + 2)
    : "an error";
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const said = words === "an error" && errors.length > 0 ? words : errors.find((error) => error === words);
  return checkText("refused", words, said ?? `accepted: ${errors.join("; ")}`);
}

/** The rows are those of the cluster's report; policies that name their namespace have reports of their own. */
function clusterWide({ policies }: Snapshot): Set<string> {
  const named = policies.filter(({ policy }) =>
    policy.kind === "ClusterPolicy" || !asString(dig(policy.document, "metadata", "namespace"))
  );
  return new Set(named.map(({ policy }) => policy.key));
}

function identity(resource: JsonObject): string[] {
  const text = (...path: string[]): string => asString(dig(resource, ...path)) ?? "";
  return [text("apiVersion"), text("kind"), text("metadata", "namespace"), text("metadata", "name")];
}

/** Kyverno prints pod security groups in the order of a Go map. */
function normal(message: string): string {
  return message.replace(
    /(\(Forbidden reason: .*\))/s,
    (groups) => groups.split(/(?<=\]\))(?=\(Forbidden)/).sort().join(""),
  );
}

/** Objects are compared as a set: Kyverno writes them to files that are named after the object. */
function compareOutputs(expected: Expected["outputs"], actual: readonly JsonObject[]): Check[] {
  if (expected === undefined) return [];
  const key = (object: Json): string => isObject(object) ? identity(object).join(" ") : "nothing";
  const checks: Check[] = [];
  const left = [...actual];
  for (const object of Object.values(expected).flat()) {
    if (isObject(object) && Object.keys(object).length === 0) continue;
    const same = left.findIndex((candidate) => goJson(candidate) === goJson(object));
    const near = same >= 0 ? same : left.findIndex((candidate) => key(candidate) === key(object));
    const found = near >= 0 ? left.splice(near, 1)[0] : undefined;
    checks.push(checkText("outputs", goJson(object), found === undefined ? "not written" : goJson(found)));
  }
  return checks;
}
