/** The shape of the code base, enforced: one direction of imports, one door a folder, no world in the engine, small files. */
import assert from "node:assert/strict";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname!, "..");
const lib = join(root, "lib");

const base = ["json", "ports", "kube", "diagnostics", "yaml"];
const languages = ["jmespath", "cel", "pattern", "patch", "template", "condition"];
const policies = [...base, ...languages, "policy", "match", "context", "rules"];
const engine = [...policies, "engine"];

/** What each module of `lib/` may import, lowest first. */
const allowed: Record<string, readonly string[]> = {
  json: [],
  ports: ["json"],
  kube: ["json"],
  diagnostics: ["json"],
  yaml: ["json", "diagnostics"],
  jmespath: ["json", "diagnostics", "kube", "yaml"],
  cel: ["json", "diagnostics", "kube", "yaml"],
  pattern: ["json", "kube"],
  patch: ["json", "kube", "yaml", "pattern"],
  template: ["json", "diagnostics", "kube", "jmespath"],
  condition: ["json", "diagnostics", "kube", "jmespath", "pattern", "template"],
  policy: [...base],
  match: [...base, "pattern", "policy"],
  context: [...base, "jmespath", "template", "condition", "policy"],
  rules: [...base, ...languages, "policy", "match", "context"],
  engine: policies,
  report: engine,
  adapters: base,
  sources: [...engine, "adapters"],
  apply: [...engine, "report"],
  testing: [...engine, "report", "adapters", "sources", "apply"],
  background: engine,
  install: engine,
  server: [...engine, "report", "background"],
  host: [...engine, "report", "adapters", "sources", "background", "install", "server"],
  cli: [
    ...engine,
    "report",
    "adapters",
    "sources",
    "apply",
    "testing",
    "background",
    "install",
    "server",
    "host",
  ],
};

/** Modules that must not know the world: time, randomness, network and files arrive as ports. */
const pure: readonly string[] = [...policies, "engine"];
const worldly =
  /\bDeno\.|\bfetch\(|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bconsole\.|\brandomUUID\b|\bset(?:Timeout|Interval)\(/;

function sourceFiles(folder: string): string[] {
  const files: string[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...sourceFiles(path));
    else if (entry.name.endsWith(".ts")) files.push(path);
  }
  return files.sort();
}

function moduleOf(path: string): string {
  return relative(lib, path).split("/")[0]!.replace(/\.ts$/, "");
}

function importsOf(source: string): string[] {
  const clause =
    /(?:^|\n)\s*(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;
  return [...withoutComments(source).matchAll(clause)].map((match) => (match[1] ?? match[2])!);
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

const files = sourceFiles(lib).map((path) => ({
  path,
  name: relative(root, path),
  text: Deno.readTextFileSync(path),
}));

Deno.test("imports go downwards only, and through a folder's mod.ts", () => {
  const wrong: string[] = [];
  for (const { path, name, text } of files) {
    const from = moduleOf(path);
    const may = allowed[from];
    if (may === undefined) {
      wrong.push(`${name}: no module "${from}" in the table`);
      continue;
    }
    for (const target of importsOf(text).filter((specifier) => specifier.startsWith("."))) {
      const absolute = resolve(dirname(path), target);
      if (!absolute.startsWith(lib)) {
        wrong.push(`${name}: imports ${target} from outside lib/`);
        continue;
      }
      const to = moduleOf(absolute);
      if (to === from) continue;
      if (!may.includes(to)) wrong.push(`${name}: ${from} must not import ${to}`);
      if (to !== "ports" && !/^[^/]+\/mod\.ts$/.test(relative(lib, absolute))) {
        wrong.push(`${name}: enters ${to} by ${relative(lib, absolute)} instead of its mod.ts`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("the engine and everything below it knows no world", () => {
  const wrong = files.filter(({ path, text }) =>
    pure.includes(moduleOf(path)) && worldly.test(withoutComments(text))
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

Deno.test("files have at most 500 lines and are named in snake_case", () => {
  const wrong = files.filter(({ path, text }) =>
    text.split("\n").length > 501 || !/^[a-z0-9_]+\.ts$/.test(path.split("/").at(-1)!)
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

Deno.test("no file is named for a heap: util, helper, common, manager, data, info", () => {
  const heap = /(^|[/_])(utils?|helpers?|common|managers?|data|info)(_|\.ts$|\/)/;
  assert.deepEqual(files.map(({ name }) => name).filter((name) => heap.test(name)), []);
});

Deno.test("no source uses any, and libraries export no defaults", () => {
  const wrong = files.filter(({ text }) =>
    /:\s*any\b|\bas any\b|<any>|^export default/m.test(withoutComments(text))
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

/** The files below `lib/` that a file imports or re-exports, types included. */
const targets: ReadonlyMap<string, readonly string[]> = new Map(files.map(({ path, text }) => [
  path,
  importsOf(text).filter((specifier) => specifier.startsWith(".")).map((to) => resolve(dirname(path), to)),
]));

/** A file's chain of imports that leads back to the file, if there is one. */
function circleFrom(
  path: string,
  chain: readonly string[],
  done: Set<string>,
): readonly string[] | undefined {
  const start = chain.indexOf(path);
  if (start >= 0) return chain.slice(start);
  if (done.has(path)) return undefined;
  for (const target of targets.get(path) ?? []) {
    const circle = circleFrom(target, [...chain, path], done);
    if (circle !== undefined) return circle;
  }
  done.add(path);
  return undefined;
}

Deno.test("no files import each other in a circle, not even for types", () => {
  const done = new Set<string>();
  const circles = files.flatMap(({ path }) => {
    const circle = circleFrom(path, [], done);
    return circle === undefined ? [] : [circle.map((each) => relative(root, each)).join(" → ")];
  });
  assert.deepEqual(circles, []);
});
