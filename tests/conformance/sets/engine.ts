import { join } from "node:path";
import {
  applyPolicies,
  openList,
  parseUserInfo,
  parseValues,
  withNamespace,
} from "../../../lib/apply/mod.ts";
import { compile, type Snapshot } from "../../../lib/engine/mod.ts";
import { asString, dig, goJson, isObject, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { reportedResult } from "../../../lib/report/mod.ts";
import { parseDocuments, type YamlDocument } from "../../../lib/yaml/mod.ts";
import { clusterPorts } from "../ports.ts";
import { type Check, checkText, type ConformanceSet, type Row } from "../set.ts";

/** What the reference said of a case: rows of its policy report, and the files that it wrote. */
interface Expected {
  readonly results: readonly (readonly string[])[];
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
    { pending: "engine/verifyImages: signatures of images and manifests are not verified yet" }),
  rows: (corpus) => rows(join(corpus, "engine"), group),
}));

function* rows(root: string, group: Group): Generator<Row> {
  for (const entry of [...Deno.readDirSync(root)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    const folder = join(root, entry.name);
    const isCase = entry.isDirectory && filesOf(folder, /^expected\.json$/).length > 0;
    if (!isCase || groupOf(folder) !== group) continue;
    yield { id: entry.name, input: entry.name, check: () => check(folder) };
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

async function check(folder: string): Promise<Check[]> {
  const documents = (pattern: RegExp): YamlDocument[] =>
    filesOf(folder, pattern).flatMap((
      name,
    ) => [...parseDocuments(Deno.readTextFileSync(join(folder, name)), name).documents]);
  const text = (name: string): string | undefined =>
    filesOf(folder, new RegExp(`^${name}$`)).length === 0
      ? undefined
      : Deno.readTextFileSync(join(folder, name));
  const expected = JSON.parse(text("expected.json")!) as Expected;
  const snapshot: Snapshot = compile([
    ...documents(/^policy\d*\.yaml$/),
    ...documents(/^exception\d*\.yaml$/),
  ], { dialect: "current" });
  const objects = documents(/^resources\.yaml$/).flatMap(({ value }) => openList(value)).map(withNamespace);
  const options = {
    snapshot,
    ports: clusterPorts(objects, { intake: "verbatim" }),
    values: parseValues(text("values.yaml")),
    user: parseUserInfo(text("userinfo.yaml")),
    absent: ["configMap", "globalReference", "imageRegistry", "downstream"] as const,
  };
  const reported = clusterWide(snapshot);
  const rows: string[][] = [];
  const outputs: JsonObject[] = [];
  for (const object of objects) {
    const applied = await applyPolicies(object, options);
    for (const { policy, resource, rules } of applied.results) {
      if (!reported.has(policy.key)) continue;
      for (const rule of rules) {
        rows.push([
          policy.name,
          rule.rule,
          ...identity(resource),
          reportedResult(policy, rule),
          rule.message,
        ]);
      }
    }
    outputs.push(...applied.outputs.map((output) => output.object));
  }
  return [...compareRows(expected.results, rows), ...compareOutputs(expected.outputs, outputs)];
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

/** Rows with the same policy, rule and object are compared in order; a missing or surplus row is a difference. */
function compareRows(
  expected: readonly (readonly string[])[],
  actual: readonly (readonly string[])[],
): Check[] {
  const key = (row: readonly string[]): string => row.slice(0, 6).join(" ");
  const order = (rows: readonly (readonly string[])[]): Map<string, (readonly string[])[]> => {
    const grouped = new Map<string, (readonly string[])[]>();
    for (const row of [...rows].sort()) grouped.set(key(row), [...grouped.get(key(row)) ?? [], row]);
    return grouped;
  };
  const [wanted, found] = [order(expected), order(actual)];
  const checks: Check[] = [];
  for (const name of new Set([...wanted.keys(), ...found.keys()])) {
    const left = wanted.get(name) ?? [], right = found.get(name) ?? [];
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      const want = left[index], have = right[index];
      checks.push(
        checkText(
          "result",
          `${name} ${want?.[6] ?? "no row"}`,
          `${name} ${have?.[6] ?? "no row"}${want === undefined ? ` (${have![7]})` : ""}`,
        ),
      );
      if (want !== undefined && have !== undefined) {
        checks.push(checkText("message", `${name} ${normal(want[7]!)}`, `${name} ${normal(have[7]!)}`));
      }
    }
  }
  return checks;
}

/** The reference prints pod security groups in the order of a Go map. */
function normal(message: string): string {
  return message.replace(
    /(\(Forbidden reason: .*\))/s,
    (groups) => groups.split(/(?<=\]\))(?=\(Forbidden)/).sort().join(""),
  );
}

/** Objects are compared as a set: the reference writes them to files that are named after the object. */
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
