import { basename, dirname } from "node:path";
import { fileProblem, formatDiagnostic } from "../diagnostics/mod.ts";
import { compile, readsImages, type Snapshot } from "../engine/mod.ts";
import type { Dialect } from "../match/mod.ts";
import {
  type BundledPolicies,
  type BundleTarget,
  bundleTargets,
  leftOutModules,
  limitsOf,
  policyFacts,
} from "../bundled/mod.ts";
import { withJsonPatches } from "../policy/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import { bundleImports } from "./bundle_imports.ts";
import { counted } from "./counted.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `bundle`. */
export interface BundleArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  /** Absent: a file in `dist/` with the platform's extension. */
  readonly out?: string;
  /** The name of a platform. */
  readonly target: string;
  readonly minify?: boolean;
  readonly dialect: Dialect;
}

/**
 * `bundle`: writes one JavaScript file with the engine and the policies for a platform. It leaves out the parts that
 * the policies do not need, such as image verification. If a policy has an error, it writes no file and the exit code
 * is 1. The exit code is 2 when it cannot make the bundle.
 */
export async function bundle(args: BundleArguments, terminal: Terminal): Promise<number> {
  const { dialect } = args;
  const target = bundleTargets.find(({ name }) => name === args.target);
  if (target === undefined) throw new Error(`no such target: ${args.target}`);
  const out = args.out ?? `dist/postern${target.extension}`;
  const { documents, diagnostics } = await loadDocuments([...args.policies, ...args.exceptions]);
  const snapshot = compile(documents, { dialect });
  const all = [...diagnostics, ...snapshot.diagnostics];
  for (const diagnostic of all) terminal.err(formatDiagnostic(diagnostic));
  const errors = all.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    terminal.err(`no bundle was made: ${counted(errors, "error")} in the policies`);
    return 1;
  }
  for (const limit of limitsOf(snapshot, target)) terminal.err(`warning: ${limit}`);
  if (target.extension === ".mjs" && !out.endsWith(".mjs")) {
    terminal.err(
      `warning: ${out}: Node.js reads a .js file as CommonJS, unless a package.json beside it has "type": "module"; name it *.mjs`,
    );
  }
  const policies = { documents: documents.map(asBundled), dialect };
  const problem = await makeBundle(policies, snapshot, { target, out, minify: args.minify === true });
  if (problem !== undefined) {
    terminal.err(`error: ${problem}`);
    return 2;
  }
  const { size } = await Deno.stat(out);
  const count = counted(snapshot.policies.length, "policy", "policies");
  terminal.err(
    `${out}: ${count}, ${Math.ceil(size / 1024)} KB for ${target.name}; try: ${target.tryIt(out)}`,
  );
  return 0;
}

/** Makes the file of a bundle in a temporary folder and writes it; a text says why it cannot. */
async function makeBundle(
  policies: BundledPolicies,
  snapshot: Snapshot,
  { target, out, minify }: {
    readonly target: BundleTarget;
    readonly out: string;
    readonly minify: boolean;
  },
): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "postern-bundle-" });
  try {
    const entry = `${folder}/entry.ts`;
    const facts = policyFacts(policies.documents.map(({ value }) => value), snapshot);
    await Deno.writeTextFile(entry, entrySource(policies, { target, images: readsImages(snapshot) }));
    await Deno.writeTextFile(`${folder}/imports.json`, await bundleImports(leftOutModules(facts, target)));
    return await runBundler({ entry, folder, minify }) ?? await writeBundle(`${folder}/bundle.js`, out);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function asBundled({ value, file }: YamlDocument): BundledPolicies["documents"][number] {
  return { file, value: withJsonPatches(value) };
}

/** The source of the module to bundle. Policies are JSON text: it keeps keys such as `__proto__` and parses faster. */
function entrySource(
  policies: BundledPolicies,
  { target, images }: { target: BundleTarget; images: boolean },
): string {
  const from = (path: string): string => JSON.stringify(new URL(`../bundled/${path}`, import.meta.url).href);
  const exported = target.exported === "default" ? "export default" : `export const ${target.exported} =`;
  return [
    `import { open } from ${from(`targets/${target.name}.ts`)};`,
    ...(images ? [`import { openBundledImages } from ${from("bundled_images.ts")};`] : []),
    `const policies = JSON.parse(${JSON.stringify(JSON.stringify(policies))});`,
    `${exported} await open(policies${images ? ", openBundledImages" : ""});`,
    "",
  ].join("\n");
}

async function runBundler(
  { entry, folder, minify }: { entry: string; folder: string; minify: boolean },
): Promise<string | undefined> {
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const args = [
    "bundle",
    "--quiet",
    "--config",
    config,
    "--import-map",
    `${folder}/imports.json`,
    ...(minify ? ["--minify"] : []),
    "--output",
    `${folder}/bundle.js`,
    entry,
  ];
  try {
    // The bundler names modules by paths relative to its working directory, so it always runs in the same one.
    const cwd = new URL("../../", import.meta.url).pathname;
    const env = { NO_COLOR: "1" };
    const { success, stderr } = await new Deno.Command("deno", { args, cwd, env, stdin: "null" }).output();
    return success ? undefined : `deno bundle failed: ${errorText(stderr)}`;
  } catch (cause) {
    return `deno bundle cannot be run: ${fileProblem(cause)}`;
  }
}

/** The bundler's error output without its stack trace. */
function errorText(stderr: Uint8Array): string {
  return new TextDecoder().decode(stderr).replace(/\nStack backtrace:[^]*$/, "").trim();
}

/**
 * Writes a bundle without the name of the run's temporary folder, so that the same policies make the same bytes. The
 * name is random, so no text of a policy contains it.
 */
async function writeBundle(made: string, out: string): Promise<string | undefined> {
  const text = await Deno.readTextFile(made);
  try {
    await Deno.mkdir(dirname(out), { recursive: true });
    await Deno.writeTextFile(
      out,
      requiringAnywhere(text).replace(
        new RegExp(`(?<![^\\s"'\`])[^\\s"'\`]*${basename(dirname(made))}/entry\\.ts`, "g"),
        "bundle/entry.ts",
      ),
    );
    return undefined;
  } catch (cause) {
    return `cannot write to ${out}: ${fileProblem(cause, "write")}`;
  }
}

/** Lets the text of a bundle require the modules of Node.js on workerd, whose modules have no URL: any serves. */
export function requiringAnywhere(text: string): string {
  return text.replace(
    "_createRequire(import.meta.url)",
    '_createRequire(import.meta.url ?? "file:///bundle.js")',
  );
}
