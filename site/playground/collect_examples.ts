/** Examples from the tests of the repository: what their folders hold, and what they expect. */
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { asObject, asString, dig, field, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { findTests, type FoundTest } from "../../lib/testing/mod.ts";
import { parseDocuments, parseYaml, toYaml } from "../../lib/yaml/mod.ts";
import type { Example } from "./state/examples.ts";
import type { PlaygroundState } from "./state/store.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Folders whose tests become examples, in this order, and how their sections are called. */
const sources: readonly {
  readonly folder: string;
  readonly section: (test: FoundTest) => Promise<string>;
}[] = [
  { folder: "tests/seeds/examples", section: async ({ folder }) => sectionOfFolder(folder) },
  {
    folder: "policies",
    section: async (found) => `Library: ${await annotation(found, "category") || "policies"}`,
  },
];

/** All examples. A test that cannot be read ends the build. */
export async function collectExamples(): Promise<Example[]> {
  const examples: Example[] = [];
  for (const { folder, section } of sources) {
    const { tests, diagnostics } = await findTests([join(root, folder)], "kyverno-test.yaml");
    const broken = diagnostics.find(({ severity }) => severity === "error");
    if (broken !== undefined) throw new Error(`${broken.position?.file}: ${broken.message}`);
    const found = await Promise.all(tests.map(async (test) => exampleOf(test, await section(test))));
    examples.push(...found.sort((left, right) => keyOf(left) < keyOf(right) ? -1 : 1));
  }
  return [...examples, ...await scanExamples(join(root, "tests/seeds/examples"))];
}

async function exampleOf(found: FoundTest, section: string): Promise<Example> {
  const { test, folder } = found;
  const text = async (files: readonly string[]): Promise<string> =>
    (await Promise.all(files.map((file) => Deno.readTextFile(join(folder, file)))))
      .map((each) => each.replace(/^---\n/, "").trimEnd() + "\n").join("---\n");
  const file = (name: string | undefined): Promise<string> => text(name === undefined ? [] : [name]);
  const test_ = asObject(yaml(await Deno.readTextFile(join(folder, "kyverno-test.yaml")))) ?? {};
  const { apiCallResponses, globalContextEntries } = test;
  const images = dig(yaml(await file(test.context)), "spec", "images");
  const answers = {
    ...(apiCallResponses.length > 0 && { apiCallResponses: [...apiCallResponses] }),
    ...(globalContextEntries.length > 0 && { globalContextEntries: [...globalContextEntries] }),
    ...(images !== undefined && { images }),
  };
  const cluster = await text(test.clusterResources);
  const objects = parseDocuments(cluster, "cluster").documents.flatMap(({ value }) =>
    dig(value, "spec", "resources") as JsonObject[] ?? []
  );
  const notes = asObject(dig(test_, "metadata", "annotations")) ?? {};
  return {
    id: relative(root, folder).replace(/\/\.kyverno-test$/, "").replace(/^tests\/seeds\/examples\//, ""),
    section,
    title: asString(notes["title"]) ?? (await annotation(found, "title") || test.name),
    summary: asString(notes["summary"]) ?? await annotation(found, "description"),
    state: {
      texts: {
        policies: await text(test.policies),
        resources: await text([...test.resources, ...test.jsonPayloads]),
        cluster: objects.map((object) => toYaml(object)).join("---\n"),
        exceptions: await text(test.exceptions),
        values: test.values === undefined ? await file(test.variables) : toYaml(test.values),
        user: await file(test.userinfo),
        answers: Object.keys(answers).length === 0 ? "" : toYaml(answers as JsonObject),
      },
      dialect: "classic",
    },
    expected: rowsOf(test_),
  };
}

function rowsOf(test: JsonObject): Example["expected"] {
  return (field(test, "results") as JsonObject[]).map((row) => ({
    policy: asString(row["policy"]) ?? "",
    rule: asString(row["rule"]) ?? "",
    kind: asString(row["kind"]) ?? "",
    resources: (row["resources"] ?? []) as string[],
    result: asString(row["result"]) ?? asString(row["status"]) ?? "",
  }));
}

/** Examples of the seeds come in the order of their folders, those of the library by their categories. */
function keyOf({ id, section }: Example): string {
  return id.startsWith("policies/") ? `${section} ${id}` : id;
}

/** Examples of policies about JSON, for which Kyverno's tests have no form: `json-scan.yaml` says what is expected. */
async function scanExamples(folder: string): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const path of filesNamed("json-scan.yaml", folder)) {
    const here = dirname(path);
    const scan = asObject(yaml(await Deno.readTextFile(path))) ?? {};
    const state: PlaygroundState = {
      texts: {
        policies: await Deno.readTextFile(join(here, "policy.yaml")),
        resources: await Deno.readTextFile(join(here, "payload.yaml")),
        cluster: "",
        exceptions: "",
        values: "",
        user: "",
        answers: "",
      },
      dialect: "classic",
    };
    examples.push({
      id: relative(folder, here),
      section: sectionOfFolder(here),
      title: asString(scan["title"]) ?? "",
      summary: asString(scan["summary"]) ?? "",
      state,
      expected: rowsOf(scan),
    });
  }
  return examples.sort((left, right) => left.id < right.id ? -1 : 1);
}

async function* filesNamed(name: string, folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* filesNamed(name, path);
    else if (entry.name === name) yield path;
  }
}

/** `tests/seeds/examples/assertion-trees/…` is about `Assertion trees`. */
function sectionOfFolder(folder: string): string {
  const [name = ""] = relative(join(root, "tests/seeds/examples"), folder).split("/");
  const words = name.replace(/^\d+-/, "").replaceAll("-", " ");
  return words === "cel" ? "CEL" : words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** An annotation `policies.kyverno.io/…` of the test's first policy. */
async function annotation({ test, folder }: FoundTest, name: string): Promise<string> {
  const text = await Deno.readTextFile(resolve(folder, test.policies[0]!));
  const [first] = parseDocuments(text, "policy").documents;
  return asString(dig(first?.value ?? null, "metadata", "annotations", `policies.kyverno.io/${name}`))
    ?.trim() ?? "";
}

function yaml(text: string): Json {
  const value = parseYaml(text);
  if (isFault(value)) throw new Error(value.message);
  return value;
}
