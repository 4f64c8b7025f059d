/** `apply`, `test` and `jp` print the lines that Kyverno 1.19's command line printed for the same files. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { asList, dig, isFault, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { run } from "../../lib/cli/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";
import { heard } from "./golden.ts";

const folder = join(import.meta.dirname!, "kyverno_texts");

/** Deliberate differences, as changes of Kyverno's text; `docs/compatibility.md` lists them. */
interface Deviations {
  /** Objects that no rule changed, as `policy object`: they are not printed. */
  readonly unchanged?: string;
  /** Whether results stand in another order: they are printed when their object is decided. */
  readonly anyOrder?: true;
  /** How many rules there are in Kyverno and in Postern, whose autogen makes none of a rule with targets. */
  readonly rules?: readonly [kyvernos: number, posterns: number];
}

function withDeviations(
  text: string,
  { unchanged, rules: [kyvernos, posterns] = [0, 0] }: Deviations,
): string {
  // The note of a mutation ends its line, and tests are named by `metadata.name`.
  const named = text.replaceAll(/successfully\.(?=[^\n])/g, "successfully.\n")
    .replace("Loading test  (", "Loading test team (")
    .replace(`Applying ${kyvernos} policy rule(s)`, `Applying ${posterns} policy rule(s)`);
  if (unchanged === undefined) return named;
  const [policy, object] = unchanged.split(" ");
  const begin = named.indexOf(`policy ${policy} applied to ${object}:\n`);
  const end = named.indexOf("successfully.\n", begin) + "successfully.\n".length;
  assert.ok(begin >= 0, `${unchanged} is in Kyverno's text`);
  return named.slice(0, begin) + named.slice(end);
}

interface Row extends Deviations {
  readonly name: string;
  readonly args: readonly string[];
  readonly code?: number;
}

const rows: readonly Row[] = [
  { name: "validate", args: ["apply", "@validate.yaml", "-r", "@pods.yaml"], code: 1 },
  { name: "cluster-scoped", args: ["apply", "@validate.yaml", "-r", "@namespace.yaml"], code: 1 },
  { name: "audit-warn", args: ["apply", "@validate.yaml", "-r", "@pods.yaml", "--audit-warn"] },
  { name: "exception", args: ["apply", "@validate.yaml", "-r", "@pods.yaml", "-e", "@exception.yaml"] },
  { name: "nothing", args: ["apply", "@validate.yaml", "-r", "@notes.yaml"] },
  { name: "mutate", args: ["apply", "@mutate.yaml", "-r", "@pods.yaml"] },
  {
    name: "mutate-two",
    args: ["apply", "@mutate.yaml", "@conditional.yaml", "-r", "@pods.yaml"],
    unchanged: "mark-shop default/Pod/bert",
  },
  {
    name: "mutate-error",
    args: ["apply", "@mutate.yaml", "-r", "@bare.yaml"],
    code: 1,
    unchanged: "add-owner shop/Pod/bare",
  },
  {
    name: "mutate-skip",
    args: ["apply", "@conditional.yaml", "-r", "@bert.yaml"],
    unchanged: "mark-shop default/Pod/bert",
  },
  {
    name: "mutate-validate",
    args: ["apply", "@mutate.yaml", "@validate.yaml", "-r", "@bert.yaml"],
    code: 1,
  },
  {
    name: "targets",
    args: ["apply", "@existing.yaml", "-r", "@bert.yaml", "--target-resource", "@notes.yaml"],
    rules: [3, 1],
  },
  { name: "generate", args: ["apply", "@generate.yaml", "-r", "@namespace.yaml"] },
  { name: "cel", args: ["apply", "@vpol.yaml", "-r", "@pods.yaml"], code: 1, anyOrder: true },
  { name: "payload", args: ["apply", "@json.yaml", "--json", "@payload.json"], code: 1 },
  { name: "table", args: ["apply", "@validate.yaml", "-r", "@pods.yaml", "-t", "--remove-color"], code: 1 },
  {
    name: "table-detailed",
    args: ["apply", "@validate.yaml", "-r", "@pods.yaml", "-t", "--detailed-results", "--remove-color"],
    code: 1,
  },
  { name: "test", args: ["test", "@tests", "--remove-color"], code: 1 },
  {
    name: "test-detailed",
    args: ["test", "@tests", "--remove-color", "--detailed-results"],
    code: 1,
  },
  {
    name: "test-fail-only",
    args: ["test", "@tests", "--remove-color", "--fail-only"],
    code: 1,
  },
  { name: "jp", args: ["jp", "query", "-i", "@namespace.yaml", "metadata.name", "kind"] },
  { name: "jp-compact", args: ["jp", "query", "-c", "-u", "-i", "@namespace.yaml", "metadata"] },
  { name: "jp-file", args: ["jp", "query", "-q", "@query.txt", "-i", "@namespace.yaml"] },
];

/** Reads Kyverno's recorded output. */
function recorded(name: string): Promise<string> {
  return Deno.readTextFile(join(folder, "recorded", `${name}.txt`));
}

/** Runs a command line in which `@name` stands for a file of the folder; paths are printed as from there. */
async function posternPrints(args: readonly string[]): Promise<{ code: number; out: string }> {
  const { terminal, out } = heard();
  const code = await run(args.map((arg) => arg.replace(/^@/, `${folder}/`)), terminal);
  return { code, out: `${out()}\n`.replaceAll(`${folder}/`, "") };
}

/** Rows that fail are explained after the table, which Kyverno does not. */
function withoutExplanations(text: string): string {
  return text.replaceAll(/^\S+ \/ \S+ \/ \S+: Want .*\n(?: {2}.*\n)+\n/gm, "");
}

for (const { name, args, code = 0, ...deviations } of rows) {
  Deno.test(`Kyverno's text: ${args.join(" ")}`, async () => {
    const expected = withDeviations(await recorded(name), deviations);
    const ran = await posternPrints(args);
    const lines = (text: string): string[] =>
      deviations.anyOrder === true ? text.split("\n").sort() : text.split("\n");
    assert.deepEqual(lines(withoutExplanations(ran.out)), lines(expected));
    assert.equal(ran.code, code);
  });
}

Deno.test("Kyverno's text: exceptions that apply generates, but for their version", async () => {
  const { out } = await posternPrints([
    "apply",
    "@validate.yaml",
    "-r",
    "@bert.yaml",
    "--generate-exceptions",
  ]);
  assert.equal(out, (await recorded("exceptions")).replaceAll("kyverno.io/v2beta1", "kyverno.io/v2"));
});

Deno.test("Kyverno's text: apply --output leaves the notes and the summary, and writes the same documents", async () => {
  const made = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    const { out } = await posternPrints(["apply", "@mutate.yaml", "-r", "@pods.yaml", "-o", made]);
    assert.equal(out, await recorded("output"));
    const names = (await Deno.readTextFile(made)).match(/^ {4}name: .*$/gm);
    assert.deepEqual(names, ["    name: ann", "    name: bert"]);
  } finally {
    await Deno.remove(made);
  }
});

for (const format of ["json", "yaml"]) {
  Deno.test(`Kyverno's text: test -o ${format} has the same rows, and nothing else on standard output`, async () => {
    const text = await recorded(`test-${format}`);
    const document = text.slice(text.indexOf("...\n\n") + 5, text.indexOf("\nTest Summary"));
    const expected = parseYaml(document);
    const { out } = await posternPrints(["test", "@tests", "-o", format]);
    const rows = parseYaml(out);
    assert.ok(!isFault(expected) && !isFault(rows));
    assert.deepEqual(rows, expected);
  });
}

/** The results of reports as they can be compared: without times, and in one order. */
function resultsOf(text: string): string[] {
  const { documents } = parseDocuments(text, "report");
  return documents.flatMap(({ value }) => asList(dig(value, "results"))).filter(isObject).map((result) => {
    const { timestamp: _, properties, ...rest } = result;
    const { "cel.validationIndex": __, ...kept } = properties as JsonObject;
    // Kyverno lists the controls of a Pod security message by chance.
    const message = String(rest["message"] ?? "").split(/(?=\(Forbidden)/).sort();
    return JSON.stringify(sorted({ ...rest, message, properties: kept }));
  }).sort();
}

function sorted(value: Json): Json {
  if (!isObject(value)) return Array.isArray(value) ? value.map(sorted) : value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key]!)]));
}

Deno.test("Kyverno's reports: apply --policy-report has the same results with the same fields", async () => {
  const args = [
    "apply",
    "@validate.yaml",
    "@namespaced.yaml",
    "@vpol.yaml",
    "-r",
    "@pods.yaml",
    "-e",
    "@exception.yaml",
  ];
  const { out } = await posternPrints([...args, "-p"]);
  assert.deepEqual(resultsOf(out), resultsOf(await recorded("report")));
});
