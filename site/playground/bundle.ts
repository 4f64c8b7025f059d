/** Bundles the playground's scripts for browsers. */
import { build, type Metafile, type Plugin } from "esbuild";

/**
 * Modules of the project start nothing when they are imported, so one of which nothing is used is left out; so are
 * modules of Node that only such modules import.
 */
const withoutSideEffects: Plugin = {
  name: "without-side-effects",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
    onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, ...options }) => {
      if (pluginData === resolved || !options.importer.endsWith(".ts")) return undefined;
      const found = await resolve(path, { ...options, pluginData: resolved });
      return found.errors.length > 0 ? found : { ...found, sideEffects: found.path.endsWith(".css") };
    });
  },
};

const resolved = Symbol("resolved");

/** The inputs of a bundle. */
export interface BundleOptions {
  /** Paths of scripts, by the names of what is made of them. */
  readonly entries: Readonly<Record<string, string>>;
  readonly out: string;
  /** With `[hash]` in the names of files, so that they can be cached for good. */
  readonly hashed: boolean;
  readonly splitting: boolean;
  readonly define?: Readonly<Record<string, string>>;
}

/** Bundles scripts and their style sheets, minified; the result says what each file is made of. */
export async function bundle(
  { entries, out, hashed, splitting, define = {} }: BundleOptions,
): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...entries },
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["es2023", "chrome111", "firefox115", "safari16.4"],
    splitting,
    metafile: true,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: hashed ? "[name]-[hash]" : "[name]",
    chunkNames: "[name]-[hash]",
    define: { ...define },
    plugins: [withoutSideEffects],
    logLevel: "warning",
  });
  return metafile;
}
