/** The documentation as it was built: every link leads somewhere, and its pages can be used by everybody. */
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import {
  imageVerifyLibrary,
  kyvernoLibrariesFor,
  mutatingLibraries,
  orValueLibrary,
  standardLibrary,
} from "../../lib/cel/mod.ts";
import type { OptionRecord } from "../../lib/cli/command.ts";
import { commands } from "../../lib/cli/commands/table.ts";
import { environmentNotes } from "../../lib/cli/environment_notes.ts";
import { operatorNotes } from "../../lib/condition/mod.ts";
import { codeNotes } from "../../lib/diagnostics/mod.ts";
import { kyvernoFunctionNotes } from "../../lib/jmespath/mod.ts";
import { withSite } from "./browser.ts";

const dist = fileURLToPath(new URL("../../site/dist", import.meta.url));

function pagesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return pagesIn(path);
    return name.endsWith(".html") ? [path] : [];
  });
}

function exists(path: string): boolean {
  try {
    const { isDirectory } = Deno.statSync(path);
    return !isDirectory || exists(join(path, "index.html"));
  } catch {
    return false;
  }
}

/** The text of an attribute. */
function unescaped(text: string): string {
  return text.replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
    .replaceAll("&amp;", "&");
}

/**
 * The rules of WCAG 2.1 AA. Two rules are about VitePress's own parts: the search button's text has its key beside
 * its name, and a section of the side bar is a button with a button for its arrow.
 */
const axeOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
  rules: { "label-content-name-mismatch": { enabled: false }, "nested-interactive": { enabled: false } },
};

Deno.test("no link between pages is dead", () => {
  const dead: string[] = [];
  for (const page of pagesIn(dist).filter((path) => !path.endsWith("404.html"))) {
    for (const [, target] of Deno.readTextFileSync(page).matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      const path = decodeURI(unescaped(target!)).replace(/[#?].*$/, "");
      if (path === "" || /^(?:[a-z]+:|\/\/)/.test(path)) continue;
      const file = path.startsWith("/") ? join(dist, path) : join(dirname(page), path);
      if (!exists(file)) dead.push(`${relative(dist, page)}: ${target}`);
    }
  }
  assert.deepEqual(dead, []);
});

Deno.test("each link to an example names an example of the playground", () => {
  const examples: readonly { readonly id: string }[] = JSON.parse(
    Deno.readTextFileSync(join(dist, "playground", "examples.json")),
  );
  const ids = new Set(examples.map(({ id }) => id));
  const linked = pagesIn(join(dist, "examples"))
    .flatMap((page) => [...Deno.readTextFileSync(page).matchAll(/href="\/playground\/#e=([^"]+)"/g)])
    .map(([, id]) => id!);
  assert(linked.length > 40, `only ${linked.length} examples are linked`);
  assert.deepEqual(linked.filter((id) => !ids.has(id)), []);
});

/** The pages that the documentation must have, each with a text that it must hold. */
const content: readonly (readonly [page: string, text: RegExp])[] = [
  ["getting-started", /docker-image/],
  ["getting-started", /edge/],
  ["how-it-decides", /match/],
  ["migration", /Kyverno/],
  ["reference/jmespath", /regex_replace_all/],
  ["reference/cel", /quantity/],
  ["reference/fields/clusterpolicy", /spec\.rules\[\]\.validate\.failureAction/],
  ["reference/fields/imagevalidatingpolicy", /spec\.matchImageReferences\[\]\.glob/],
  ["support", /GreaterThanOrEquals/],
  ["diagnostics", /unknown-field/],
  ["reference/metrics", /kyverno_admission_requests_total/],
  ["reference/options", /POSTERN_SECRET_PATH[^]*--policies/],
  ["operations", /upgrade/i],
  ["security", /limit/],
  ["performance", /<img[^>]*svg/],
  ["releases", /SBOM/],
  ["edge", /generates after the answer/],
  ["playground", /format is not documented/],
  ["api/index", /loadPolicies/],
];

Deno.test("the documentation has guides and a reference", () => {
  for (const [page, text] of content) {
    assert.match(Deno.readTextFileSync(join(dist, `${page}.html`)), text, page);
  }
});

/** The names in tables of the code, and the page that has all of them. */
const tables: readonly (readonly [page: string, names: readonly string[]])[] = [
  [
    "reference/jmespath",
    Object.entries(kyvernoFunctionNotes()).flatMap(([name, { summary, examples }]) => [
      name,
      summary,
      ...examples.map(({ expression }) => expression),
    ]),
  ],
  [
    "reference/cel",
    [
      standardLibrary("kubernetes"),
      ...mutatingLibraries,
      ...kyvernoLibrariesFor({ purpose: "generate" }),
      ...kyvernoLibrariesFor({ purpose: "mutate" }),
      imageVerifyLibrary,
      orValueLibrary,
    ].flatMap(({ name, functions, macros = [] }) => [
      name,
      ...[...functions, ...macros].map((each) => each.name).filter((each) => !/^@|_$/.test(each)),
    ]),
  ],
  ["reference/operators", Object.entries(operatorNotes).flatMap(([name, { about }]) => [name, about])],
  [
    "diagnostics",
    Object.values(codeNotes).flatMap((notes) =>
      Object.entries(notes).flatMap(([code, { cause, fix }]) => [code, cause, fix])
    ),
  ],
  ["reference/options", [
    ...environmentNotes.flatMap(({ name, about }) => [name, about]),
    ...commands.flatMap(({ options }) =>
      Object.values<OptionRecord>(options).filter(({ hidden, type }) =>
        hidden !== true && type !== "unsupported"
      )
        .map(({ about }) => about)
    ),
  ]],
];

/** The letters and digits of a text: quotation marks are set by the generator. */
function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

for (const [page, names] of tables) {
  Deno.test(`the reference is complete: ${page}`, () => {
    const html = Deno.readTextFileSync(join(dist, `${page}.html`));
    const text = letters(html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|amp|#39);/g, ""));
    assert(names.length > 10);
    assert.deepEqual(names.filter((name) => !text.includes(letters(name))), []);
  });
}

Deno.test("axe finds no violation in any page, and no page calls another host", async () => {
  await withSite(async ({ browser, url }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme });
      const elsewhere: string[] = [];
      context.on("request", (request) => request.url().startsWith(url) || elsewhere.push(request.url()));
      const page = await context.newPage();
      for (
        const path of ["/", "/getting-started.html", "/diagnostics.html", "/examples/preconditions.html"]
      ) {
        await page.goto(url + path);
        await page.addScriptTag({ content: axe.source });
        const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(axeOptions)})`);
        const found = violations.map(({ id, nodes }) => `${path}, ${colorScheme}: ${id}: ${nodes[0]?.html}`);
        assert.deepEqual(found, []);
      }
      assert.deepEqual(elsewhere, []);
    }
  });
});

Deno.test("the search finds pages", async () => {
  await withSite(async ({ browser, url }) => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole("button", { name: /Search/ }).first().click();
    await page.getByRole("searchbox").fill("failureAction");
    await page.locator(".VPLocalSearchBox .result", { hasText: "Fields of" }).or(
      page.locator(".VPLocalSearchBox .result", { hasText: "ClusterPolicy" }),
    ).first().waitFor();
  });
});
