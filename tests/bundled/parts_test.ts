/** A bundle has the parts that its policies need, and no other: those are not missed. */
import assert from "node:assert/strict";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  bundleParts,
  bundleTargets,
  leftOutModules,
  type PolicyFacts,
  policyFacts,
  standInOf,
} from "../../lib/bundled/mod.ts";
import { bundleImports } from "../../lib/cli/bundle_imports.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { functionFamilies, kyvernoFunctionNotes } from "../../lib/jmespath/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { loadDocuments } from "../../lib/sources/mod.ts";
import { findTests } from "../../lib/testing/mod.ts";
import { documentsOf, partPolicies } from "./part_policies.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [deno] = bundleTargets;

/** The documents, compiled as a bundle compiles them. */
function compiled(documents: readonly Json[]): Snapshot {
  const located = documents.map((value) => ({
    value,
    file: "policy",
    positionOf: () => ({ file: "policy", line: 1, column: 1 }),
  }));
  return compile(located, { admissionPolicies: "served" });
}

/** The facts of documents, as `bundle` reads them. */
function factsOf(documents: readonly Json[]): PolicyFacts {
  return policyFacts(documents, compiled(documents));
}

function neededParts(documents: readonly Json[]): readonly string[] {
  const facts = factsOf(documents);
  return bundleParts.filter(({ isNeeded }) => isNeeded(facts, deno!)).map(({ name }) => name);
}

/** Runs a program of this folder with stand-ins for the modules. */
async function runWithout(
  leftOut: readonly string[],
  { program, args }: { readonly program: string; readonly args: readonly string[] },
): Promise<{ readonly success: boolean; readonly out: string; readonly err: string }> {
  const map = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(map, await bundleImports(leftOut));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "-A", "--import-map", map, program, ...args],
      cwd: import.meta.dirname!,
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    return { success, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(map);
  }
}

/** Compiles each set of documents in a process with stand-ins for the modules, and returns the reported problems. */
async function problemsWithout(
  leftOut: readonly string[],
  sets: readonly (readonly Json[])[],
): Promise<readonly (readonly string[])[]> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(file, JSON.stringify(sets));
    const { success, out, err } = await runWithout(leftOut, { program: "compile_policies.ts", args: [file] });
    assert(success, err);
    return JSON.parse(out);
  } finally {
    await Deno.remove(file);
  }
}

const allModules = bundleParts.flatMap(({ modules }) => modules);

Deno.test("each module of a part has a stand-in, and each stand-in has a module", async () => {
  const standIns = new Set<string>();
  for await (const path of files(join(root, "lib"))) {
    if (basename(dirname(path)) !== "left_out" || basename(path).startsWith("left_out_")) continue;
    standIns.add(relative(join(root, "lib"), path));
  }
  assert.deepEqual([...standIns].sort(), allModules.map(standInOf).sort());
  for (const module of allModules) assert((await Deno.stat(join(root, "lib", module))).isFile);
});

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* files(join(folder, name));
    else yield join(folder, name);
  }
}

for (const [family, functions] of Object.entries(functionFamilies)) {
  Deno.test(`a call of a left-out function is a fault with the reason: JMESPath ${family}`, async () => {
    const module = new URL(`../../lib/jmespath/functions/left_out/${family}.ts`, import.meta.url).href;
    const standIns = Object.values<typeof functions>(await import(module)).find(Array.isArray);
    assert.deepEqual(standIns!.map(({ name }) => name), functions.map(({ name }) => name));
    for (const standIn of standIns!) {
      assert.equal(standIn.kind, "plain");
      const applied: unknown = standIn.kind === "plain" &&
        standIn.apply([], { now: () => 0, random: () => 0 });
      assert.ok(isFault(applied));
      assert.match(applied.message, /this bundle was made without it/);
    }
  });
  Deno.test(`a bundle includes the functions that its policy calls: JMESPath ${family}`, () => {
    for (const { name } of functions) {
      for (const { expression } of kyvernoFunctionNotes()[name]!.examples) {
        const document = {
          apiVersion: "kyverno.io/v1",
          kind: "ClusterPolicy",
          spec: { text: `{{ ${expression} }}` },
        };
        assert(neededParts([document]).includes(`JMESPath ${family}`), `${name}: ${expression}`);
      }
    }
  });
}

for (const [index, [part, text]] of partPolicies.entries()) {
  const documents = documentsOf(text);
  Deno.test(`a bundle includes exactly the parts that its policy needs: ${part} (${index})`, async () => {
    assert(neededParts(documents).includes(part), neededParts(documents).join());
    const { diagnostics } = compiled(documents);
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
    const [problems] = await problemsWithout(leftOutModules(factsOf(documents), deno!), [documents]);
    assert.equal(problems!.length, diagnostics.length, problems!.join("\n"));
  });
}

Deno.test("a policy whose part is left out is broken, and a diagnostic names the part", async () => {
  const found = await problemsWithout(allModules, partPolicies.map(([, text]) => documentsOf(text)));
  assert.equal(found.length, partPolicies.length);
  for (const [index, problems] of found.entries()) {
    assert.match(
      problems.join("\n"),
      /^error left-out: this bundle was made without /m,
      partPolicies[index]![0],
    );
  }
});

const globalReaders: readonly (readonly [what: string, context: Json])[] = [
  ["a context entry", [{ name: "a", globalReference: { name: "deployments" } }]],
  ["a CEL variable", [{ name: "a", expression: "globalContext.Get('deployments', '')" }]],
];
for (const [what, context] of globalReaders) {
  Deno.test(`a bundle includes the global context that ${what} reads`, () => {
    const document = { apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", spec: { rules: [{ context }] } };
    assert(neededParts([document]).includes("global context"));
  });
}

Deno.test("this test has a policy for every part but libraries of functions, effects, checks and formats", () => {
  const shown = new Set(partPolicies.map(([part]) => part));
  const others = [
    "entries about images",
    "effects",
    "global context",
    "watches",
    "memory of answers",
    "clients and files of Deno",
    "checks of policies",
    "yaml",
    "gzip",
    "digests",
    "random texts",
  ];
  const missing = bundleParts.map(({ name }) => name).filter((name) =>
    !shown.has(name) && !name.startsWith("JMESPath")
  );
  assert.deepEqual(missing, others);
});

/** The tests run with YAML, in which they are written. */
const written = "yaml/document.ts";

const { tests } = await findTests([join(root, "tests/seeds/examples")], "kyverno-test.yaml");
const exceptions = new Set(["exception", "exceptions"].map((name) => `${name}.yaml`));

/** The files that a bundle of a test's policies is made of. */
function bundledFiles(folder: string): readonly string[] {
  if (folder.endsWith("policies")) return [folder];
  const more = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => exceptions.has(name));
  return ["policy.yaml", ...more].map((name) => join(folder, name));
}

const sets = [...tests.map(({ folder }) => folder), join(root, "policies")];
for (const folder of sets) {
  Deno.test(`leaving out unneeded parts does not change decisions: ${relative(root, folder)}`, async () => {
    const { documents } = await loadDocuments(bundledFiles(folder));
    const leftOut = leftOutModules(factsOf(documents.map(({ value }) => value)), deno!);
    assert(leftOut.length > 10);
    const { success, out, err } = await runWithout(leftOut.filter((module) => module !== written), {
      program: "run_examples.ts",
      args: [folder],
    });
    assert(success, out + err);
  });
}
