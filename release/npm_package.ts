/**
 * Makes the package for npm: each module as JavaScript with its types, so that bundlers include the imported modules
 * alone.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The compiler that makes JavaScript and type declarations; npm installs it. Deno has checked the types before. */
const compiler = "typescript@5.9.3";

/** Entries that read files through Deno, and so do not work in Node and browsers. */
const denoEntries: readonly string[] = ["./testing"];

interface Configuration {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
}

/** Makes the folder of the package, which is emptied, and packs it. Returns the path of the archive beside it. */
export async function makeNpmPackage(folder: string): Promise<string> {
  const configuration = await readConfiguration();
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  await compile(configuration, folder);
  const dependencies = await dependenciesOf(folder, configuration.imports);
  await Deno.writeTextFile(join(folder, "package.json"), packageText(configuration, dependencies));
  for (const name of ["README.md", "LICENSE", "NOTICE", "CHANGELOG.md"]) {
    await Deno.copyFile(join(root, name), join(folder, name));
  }
  const [{ filename }] = JSON.parse(
    await output("npm", ["pack", "--json", "--silent", "--pack-destination", join(folder, "..")], {
      cwd: folder,
    }),
  );
  return join(folder, "..", filename);
}

/** Reads `deno.json`, without the entries that only Deno can import. */
async function readConfiguration(): Promise<Configuration> {
  const whole: Configuration = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const exports = Object.entries(whole.exports).filter(([entry]) => !denoEntries.includes(entry));
  return { ...whole, exports: Object.fromEntries(exports) };
}

/** Compiles the modules that the entries import. */
async function compile({ exports }: Configuration, folder: string): Promise<void> {
  const settings = join(root, ".release.tsconfig.json");
  const compilerOptions = {
    target: "es2023",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    rootDir: root,
    outDir: await Deno.realPath(folder),
    declaration: true,
    noCheck: true,
    resolveJsonModule: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
  };
  const files = Object.values(exports);
  await Deno.writeTextFile(settings, JSON.stringify({ compilerOptions, files }));
  try {
    await output("npx", ["--yes", "--package", compiler, "tsc", "-p", settings], { cwd: root });
  } finally {
    await Deno.remove(settings);
  }
  // The compiler rewrites the imports of JavaScript files to `.js`, but not those of declarations.
  for (const path of filesIn(folder)) {
    if (!path.endsWith(".d.ts")) continue;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace(/((?:from|import)\s*\(?\s*"\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

/** The packages that modules import, with their exact versions. */
async function dependenciesOf(
  folder: string,
  imports: Configuration["imports"],
): Promise<Readonly<Record<string, string>>> {
  const found = new Set<string>();
  for (const path of filesIn(folder)) {
    const text = await Deno.readTextFile(path);
    for (const [, name] of text.matchAll(/(?:from|import)\s*\(?\s*"((?:@[\w.-]+\/)?[\w.-]+)[^"]*"/g)) {
      if (name! in imports) found.add(name!);
    }
  }
  return Object.fromEntries(
    [...found].sort().map((name) => [name, imports[name]!.slice(imports[name]!.lastIndexOf("@") + 1)]),
  );
}

function packageText(
  { name, version, license, exports }: Configuration,
  dependencies: Readonly<Record<string, string>>,
): string {
  const entries = Object.entries(exports).map(([entry, file]) => {
    const path = file.replace(/\.ts$/, "");
    return [entry, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return `${
    JSON.stringify(
      {
        name,
        version,
        description: "Kyverno's policies, decided in any JavaScript runtime",
        license,
        type: "module",
        // Bundlers may leave out unused modules, because importing one changes nothing outside it.
        sideEffects: false,
        engines: { node: ">=20" },
        exports: { ...Object.fromEntries(entries), "./package.json": "./package.json" },
        dependencies,
      },
      null,
      2,
    )
  }\n`;
}

/** Yields the paths of all files in a folder and its subfolders. */
function* filesIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* filesIn(path);
    else yield path;
  }
}

/** Returns the files of a package, relative to its folder. */
export function packageFiles(folder: string): readonly string[] {
  return [...filesIn(folder)].map((path) => relative(folder, path)).sort();
}
