/**
 * The package of npm in an empty folder: Node runs it, TypeScript reads its types, and a bundler takes what is
 * imported.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeNpmPackage, packageFiles } from "../../release/npm_package.ts";
import { output } from "../../release/process.ts";
import { policies } from "../library/policies.ts";
import { admissionReview } from "../server/review.ts";
import { withFolder } from "../support/folder.ts";

const program = `
import { admissionResponse, evaluate, loadPolicies } from "@postern/postern";
import { celToJson, createEnvironment, kubernetesLibraries } from "@postern/postern/cel";

const { policies } = loadPolicies(${JSON.stringify(policies)});
const decision = await evaluate(policies, ${JSON.stringify(admissionReview())});
const compiled = createEnvironment({ variables: {}, libraries: kubernetesLibraries }).compile("'b-7'.find('[0-9]+')");
const cel = celToJson(compiled.program.evaluate(() => undefined));
console.log(JSON.stringify({ response: admissionResponse(decision), cel }));
`;

/** Uses of each entry with their types; the last line is a mistake that the compiler must find. */
const typed = `
import { admissionResponse, evaluate, loadPolicies } from "@postern/postern";
import { createApp } from "@postern/postern/server";
import { noTexts, simulation } from "@postern/postern/simulation";
import { parseDocuments } from "@postern/postern/yaml";
import * as cel from "@postern/postern/cel";
import * as jmespath from "@postern/postern/jmespath";
import * as patch from "@postern/postern/patch";

const { policies, diagnostics } = loadPolicies("");
const first: string | undefined = diagnostics[0]?.message;
const allowed: boolean = admissionResponse(await evaluate(policies, {})).allowed;
const count: number = simulation(noTexts).policyCount;
const documents: number = parseDocuments("a: 1", "a.yaml").documents.length;
console.log(first, allowed, count, documents, createApp, cel, jmespath, patch);
// @ts-expect-error: it is a number
const wrong: string = simulation(noTexts).policyCount;
console.log(wrong);
`;

async function npmIsHere(): Promise<boolean> {
  return await output("npm", ["--version"]).then(() => true, () => false);
}

/** Installs packages into a folder; prefers what was downloaded before. */
async function install(folder: string, ...packages: string[]): Promise<void> {
  await output("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", ...packages], {
    cwd: folder,
  });
}

Deno.test({
  name: "the package of npm works in an empty folder",
  ignore: !await npmIsHere(),
  async fn(t) {
    await withFolder({}, async (folder) => {
      const archive = await makeNpmPackage(join(folder, "package"));
      await t.step(
        "the package has modules with their types, and nothing of tests or of the command line",
        () => {
          const folders = packageFiles(join(folder, "package")).map((path) =>
            path.split("/").slice(0, 2).join("/")
          );
          for (const unwanted of ["tests", "lib/cli", "lib/host", "lib/adapters", "node_modules"]) {
            assert(!folders.some((each) => each.startsWith(unwanted)), unwanted);
          }
        },
      );
      const used = join(folder, "used");
      await Deno.mkdir(used);
      await Deno.writeTextFile(join(used, "package.json"), JSON.stringify({ type: "module", private: true }));
      await install(used, archive, "typescript@5.9.3", "esbuild@0.28.2");
      await t.step("Node decides a review with it", () => decideOnNode(used));
      await t.step("TypeScript reads its types and reports mistakes", () => checkTypes(used));
      await t.step("the CEL entry loads CEL alone", () => compareSizes(used));
    });
  },
});

async function decideOnNode(folder: string): Promise<void> {
  await Deno.writeTextFile(join(folder, "program.mjs"), program);
  const { response, cel } = JSON.parse(await output("node", ["program.mjs"], { cwd: folder }));
  assert.equal(response.allowed, false);
  assert.match(response.status.message, /the label team is required/);
  assert.equal(cel, "7");
}

async function checkTypes(folder: string): Promise<void> {
  await Deno.writeTextFile(join(folder, "typed.ts"), typed);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2023",
    lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    noEmit: true,
  };
  await Deno.writeTextFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["typed.ts"] }),
  );
  await output("npx", ["tsc", "-p", "."], { cwd: folder });
}

/** Bytes of a minified bundle for browsers that imports names from an entry. */
async function bundled(folder: string, source: string): Promise<number> {
  await Deno.writeTextFile(join(folder, "entry.js"), source);
  await output("npx", [
    "esbuild",
    "entry.js",
    "--bundle",
    "--minify",
    "--format=esm",
    "--platform=browser",
    "--outfile=bundle.js",
    "--log-level=error",
  ], { cwd: folder });
  return (await Deno.stat(join(folder, "bundle.js"))).size;
}

async function compareSizes(folder: string): Promise<void> {
  const whole = await bundled(folder, 'export * from "@postern/postern";');
  const cel = await bundled(folder, 'export { createEnvironment } from "@postern/postern/cel";');
  const patch = await bundled(folder, 'export { planJsonPatch } from "@postern/postern/patch";');
  const nothing = await bundled(folder, 'import "@postern/postern";');
  assert(cel < whole / 2, `CEL ${cel} of ${whole} bytes`);
  assert(patch < whole / 10, `patches ${patch} of ${whole} bytes`);
  assert(nothing < 1_000, `an import of nothing costs ${nothing} bytes`);
}
