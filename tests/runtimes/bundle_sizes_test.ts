/** How large bundles are: the engine's part, without policies, as it is written and minified. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleTargets } from "../../lib/bundled/mod.ts";
import { run } from "../../lib/cli/mod.ts";
import { withFolder } from "../support/folder.ts";

const library = fileURLToPath(new URL("../../policies", import.meta.url));

/** The policies of the library with a category. */
function ofCategory(category: string): readonly string[] {
  return [...Deno.readDirSync(library)].map(({ name }) => join(library, name, `${name}.yaml`))
    .filter((file) => Deno.readTextFileSync(file).includes(`policies.kyverno.io/category: ${category}`));
}

const expressions = join(library, "../tests/seeds/examples/5-cel/validating-policy/policy.yaml");
const podSecurity = ofCategory("Pod Security Standards");

/** The most bytes: what they are, and some 4 % of room. */
const rows: readonly {
  readonly what: string;
  readonly policies: readonly string[];
  readonly target: string;
  readonly written: number;
  readonly minified: number;
}[] = [
  { what: "the library", policies: [library], target: "deno", written: 1_210_000, minified: 585_000 },
  { what: "the library", policies: [library], target: "workerd", written: 1_205_000, minified: 585_000 },
  { what: "the library", policies: [library], target: "node", written: 1_250_000, minified: 605_000 },
  { what: "the library", policies: [library], target: "lambda", written: 1_175_000, minified: 575_000 },
  {
    what: "17 pod security policies",
    policies: podSecurity,
    target: "node",
    written: 890_000,
    minified: 405_000,
  },
  {
    what: "a ValidatingPolicy",
    policies: [expressions],
    target: "node",
    written: 1_215_000,
    minified: 565_000,
  },
];

Deno.test("each target has a size", () => {
  assert.deepEqual(
    rows.slice(0, bundleTargets.length).map(({ target }) => target),
    bundleTargets.map(({ name }) => name),
  );
  assert.equal(podSecurity.length, 17);
});

Deno.test("the page about bundles names the largest size", async () => {
  const largest = Math.max(...rows.map(({ written }) => written)) / 1e6;
  const page = await Deno.readTextFile(new URL("../../docs/edge.md", import.meta.url));
  assert(page.includes(`below ${largest} MB as written`), `docs/edge.md: not below ${largest} MB`);
});

for (const { what, policies, target, written, minified } of rows) {
  Deno.test(`a bundle of ${what} for ${target} has an engine below ${written / 1e6} MB, minified ${minified / 1e6} MB`, async () => {
    assert(written <= 1_250_000);
    await withFolder({}, async (folder) => {
      const bytes = await bundled({ policies, target, folder }),
        small = await bundled({ policies, target, folder }, "--minify");
      const engine = bytes.length -
        (/^\/\/ bundle\/entry\.ts\n[^]*/m.exec(bytes)?.[0].length ?? assert.fail("no policies"));
      assert(engine > 100_000 && engine < written, `${engine} bytes`);
      assert(
        small.length - (bytes.length - engine) < minified,
        `${small.length - (bytes.length - engine)} bytes minified`,
      );
    });
  });
}

async function bundled(
  { policies, target, folder }: {
    readonly policies: readonly string[];
    readonly target: string;
    readonly folder: string;
  },
  ...flags: readonly string[]
): Promise<string> {
  const out = join(folder, "bundle.js"), said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const args = [
    ...policies.flatMap((file) => ["--policies", file]),
    "--target",
    target,
    "--out",
    out,
    ...flags,
  ];
  assert.equal(await run(["bundle", ...args], { out: say, err: say }), 0, said.join("\n"));
  return await Deno.readTextFile(out);
}
