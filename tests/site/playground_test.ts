/** The playground in a real browser. `deno task test:site` builds the site first. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Page } from "playwright-core";
import type { Example, ExpectedResult } from "../../site/playground/state/examples.ts";
import { focused, goToExample, keepTexts, longestPause, workerReady } from "./in_page.ts";
import { unzip } from "../../site/unzip.ts";
import { finished, type OpenPage, type OpenSite, withSite, write } from "./browser.ts";

const examples: readonly Example[] = JSON.parse(
  await Deno.readTextFile(new URL("../../site/dist/playground/examples.json", import.meta.url)),
);

const desktop = { viewport: { width: 1440, height: 900 } };

/** Runs a test in a browser of its own; afterwards nothing may have gone elsewhere or wrong. */
function test(name: string, run: (site: OpenSite & { begin: OpenSite["open"] }) => Promise<void>): void {
  Deno.test(name, async () => {
    const opened: OpenPage[] = [];
    await withSite(async (site) => {
      const begin: OpenSite["open"] = async (options) => {
        const page = await site.open({ ...desktop, ...options });
        opened.push(page);
        return page;
      };
      await run({ ...site, begin });
      for (const { elsewhere, errors } of opened) {
        assert.deepEqual(elsewhere, [], "no request leaves the page");
        assert.deepEqual(errors, [], "no errors");
      }
    });
  });
}

const policy = (field: string): string =>
  `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: require-team
spec:
  rules:
    - name: team
      match:
        any:
          - resources:
              kinds: [ConfigMap]
      validate:
        failureAction: Enforce
        message: name your team
        ${field}:
          metadata:
            labels:
              team: "?*"
`;

test("a misspelt field is marked at its line, and its fix repairs the policy", async ({ begin }) => {
  const { page } = await begin();
  await write(page, { name: "policies", text: policy("patern") });
  const problem = page.locator(".diagnostic-error").first();
  await problem.waitFor();
  assert.match(await problem.innerText(), /patern[^]*did you mean "pattern"\?[^]*policies:15/);
  await problem.getByRole("button").click();
  await page.locator(".pane-policies .cm-activeLine", { hasText: "patern:" }).waitFor();
  await page.keyboard.press("Control+Shift+M");
  await page.locator(".cm-panel-lint").getByRole("button", { name: "Replace by pattern" }).click();
  await page.locator(".diagnostic-error").first().waitFor({ state: "detached" });
  assert.match(await page.locator(".pane-policies .cm-content").innerText(), / pattern:/);
});

test("results follow what is typed: kubectl's message, the failing path, the marked line", async ({ begin }) => {
  const { page } = await begin();
  await write(page, { name: "policies", text: policy("pattern") });
  await write(page, {
    name: "resources",
    text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels:\n    app: web\n",
  });
  assert.equal(await page.locator(".verdict-word").innerText(), "Refused");
  assert.match(await page.locator(".terminal pre").innerText(), /denied the request:[^]*name your team/);
  assert.equal(await page.locator(".failing-path").innerText(), "metadata.labels.team");
  assert.match(await page.locator(".pane-resources .cm-failing").innerText(), /labels:/);
  await page.getByRole("tab", { name: "Response" }).click();
  assert.match(await page.getByRole("tabpanel", { name: "Response" }).innerText(), /"allowed": false/);
});

test("policies that cannot be read decide nothing: no object counts as admitted", async ({ begin }) => {
  const { page } = await begin();
  await write(page, { name: "policies", text: "kind: ClusterPolicy\nspec: [\n" });
  await page.locator(".diagnostic-error", { hasText: "policies:" }).first().waitFor();
  await page.getByText("Nothing is decided: the policies cannot be read").first().waitFor();
  assert.equal(await page.locator(".outcome, .subject").count(), 0);
  await write(page, { name: "policies", text: policy("pattern") });
  await page.locator(".outcome").waitFor();
});

/** The outcome of each rule of the selected object. */
async function shownRules(page: Page): Promise<readonly (readonly [rule: string, outcome: string])[]> {
  const cards = await page.locator(".card").evaluateAll((all) =>
    all.map((card) => [
      card.getAttribute("data-rule") ?? "",
      card.querySelector(".mark")?.textContent?.toLowerCase() ?? "",
    ])
  );
  return cards as [string, string][];
}

function isAbout({ kind, resources }: ExpectedResult, input: string): boolean {
  const [shownKind = "", full = ""] = input.split(" ");
  if (kind !== "" && kind !== shownKind) return false;
  const name = full.split("/").at(-1)!;
  return resources.length === 0 || resources.some((each) => each === full || each === name);
}

/** Compares what the page shows of each object with what the example's test expects; returns how much was compared. */
async function compareExample(page: Page, example: Example): Promise<number> {
  const rows = page.locator(".subject");
  const count = Math.max(1, await rows.count());
  let compared = 0;
  for (let index = 0; index < count; index++) {
    const several = count > 1;
    const input = several ? await rows.nth(index).locator(".subject-name").innerText() : undefined;
    if (several) await rows.nth(index).click();
    const shown = page.locator(".verdict-subject");
    if (input !== undefined) await shown.filter({ hasText: input }).waitFor();
    const name = input ?? await shown.evaluate((element) => element.firstChild?.textContent?.trim() ?? "");
    const rules = await shownRules(page);
    for (const expected of example.expected.filter((each) => isAbout(each, name))) {
      const found = rules.filter(([rule]) =>
        rule === `${expected.policy}/${expected.rule}` ||
        rule.endsWith(`/autogen-${expected.rule}`) || rule.endsWith(`/autogen-cronjob-${expected.rule}`) ||
        expected.rule === "" && rule.startsWith(`${expected.policy}/`)
      ).map(([, outcome]) => outcome).filter((outcome) => outcome !== "not applied");
      // A rule that is not applied counts as skipped in tests.
      const isSkipped = expected.result === "skip" && found.length === 0;
      assert(
        isSkipped || found.includes(expected.result),
        `${example.id}: ${name}: ${expected.rule} ${expected.result}, ${found}`,
      );
      compared++;
    }
  }
  return compared;
}

test("each example shows what its test expects", async ({ begin }) => {
  const { page } = await begin();
  for (const example of examples) {
    await page.evaluate(goToExample, example.id);
    await page.locator(`html[data-example="${example.id}"][data-state=done]`).waitFor();
    assert(await compareExample(page, example) > 0, example.id);
  }
});

test("a link restores the state", async ({ begin }) => {
  const { page } = await begin();
  await write(page, { name: "policies", text: policy("pattern") });
  await write(page, {
    name: "resources",
    text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shared\n",
  });
  await page.getByRole("button", { name: "Share" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#s="));
  const fragment = await page.evaluate(() => location.hash);
  const { page: other } = await begin({ fragment });
  assert.match(await other.locator(".pane-policies .cm-content").innerText(), /require-team/);
  assert.match(await other.locator(".verdict").innerText(), /Refused[^]*ConfigMap default\/shared/);
});

test("a link that cannot be read shows the first example", async ({ begin }) => {
  const { page } = await begin({ fragment: "#s=AAAA" });
  assert.match(await page.locator(".verdict-subject").innerText(), /busybox/);
});

/** ConfigMaps without labels. */
function configMaps(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c${index}\n`,
  ).join("---\n");
}

test("5,000 objects do not freeze the page: it draws while they are checked", async ({ begin }) => {
  const { page } = await begin();
  await page.evaluate(keepTexts, { policies: policy("pattern"), resources: configMaps(5_000) });
  await page.reload();
  await page.locator("[data-testid=headline]", { hasText: /Checking \d+ of 5000|5000 objects/ }).waitFor();
  // The longest pause between two frames is bounded generously, as others may be at work on the machine.
  const longest = await page.evaluate(longestPause);
  assert(longest < 3_000, `${longest} ms between two frames`);
  await page.locator("[data-testid=headline]", { hasText: "5000 objects: 5000 refused" }).waitFor();
  assert.equal(await page.locator(".subject").count(), 50);
});

test("typing takes the engine away from objects that are being checked", async ({ begin }) => {
  const { page } = await begin();
  await page.evaluate(keepTexts, { policies: policy("pattern"), resources: configMaps(20_000) });
  await page.reload();
  await page.locator("[data-testid=headline]", { hasText: "Checking" }).waitFor();
  await write(page, { name: "resources", text: configMaps(1) });
  await page.locator("[data-testid=headline]", { hasText: "1 object: 1 refused" }).waitFor();
});

test("a rule shows its match, its conditions with the values that they saw, and where its pattern fails", async ({ begin }) => {
  const { page } = await begin({ fragment: "#e=1-preconditions/any-and-all" });
  const card = await page.locator(".card").first().innerText();
  for (
    const part of [
      /match\s+holds/,
      /Precondition any\[0\]\s+"red"\s*Equals\s*"blue"\s*does not hold/,
      /Precondition all\[0\]\s+"cow"\s*Equals\s*"cow"\s*holds/,
      /fails at\s+spec\.template\.spec\.containers\[0\]\.name/,
    ]
  ) assert.match(card, part);
  // The summary that a screen reader reads aloud.
  const heard = page.getByRole("status").filter({ hasText: "2 objects: 1 refused, 1 admitted" });
  await heard.waitFor({ state: "attached" });
});

test("generated objects are shown", async ({ begin }) => {
  const { page } = await begin({ fragment: "#e=policies/add-default-quota" });
  await page.getByRole("tab", { name: /Generated/ }).click();
  await page.locator(".object pre", { hasText: "kind: ResourceQuota" }).waitFor();
});

test("mutations are shown side by side, with look-ups and the JSON patch of the response", async ({ begin }) => {
  const { page } = await begin({ fragment: "#e=2-variables/config-map" });
  await page.getByRole("tab", { name: /Changes/ }).click();
  await page.locator(".cm-mergeView").waitFor();
  assert.match(await page.locator(".cm-merge-b").innerText(), /from-the-config-map/);
  await page.getByRole("tab", { name: /Look-ups/ }).click();
  assert.match(await page.locator(".timeline").innerText(), /GET \/api\/v1\/namespaces\/default\/configmaps/);
  await page.getByRole("tab", { name: "Response" }).click();
  await page.locator(".object pre", { hasText: /"op": "add"/ }).waitFor();
});

test("fields are suggested where they belong, and explained", async ({ begin }) => {
  const { page } = await begin();
  await write(page, {
    name: "policies",
    text: policy("pattern").replace("    - name: team\n", "    - name: team\n      \n"),
  });
  await page.locator(".pane-policies .cm-line").nth(7).click();
  await page.keyboard.press("End");
  await page.keyboard.type("prec");
  await page.getByRole("option", { name: /^preconditions/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".pane-policies .cm-line", { hasText: "failureAction" }).getByText("failureAction")
    .hover();
  await page.locator(".note").waitFor();
  assert.match(await page.locator(".note").innerText(), /validate\.failureAction[^]*`Enforce` refuses/);
});

const expressions: [tool: string, expression: string, shown: RegExp][] = [
  ["JMESPath", "spec.containers[].name", /"app",\s+"log"/],
  ["JMESPath", "spec.containers[", /SyntaxError/],
  ["CEL", "object.spec.containers.size()", /2\s*type int · cost/],
  ["CEL", "object.spec.containers.size(", /ERROR: <input>:1/],
];
test("expressions have values, mistakes and trees", async ({ begin }) => {
  const { page } = await begin();
  for (const [tool, expression, shown] of expressions) {
    await page.getByRole("button", { name: tool, exact: true }).click();
    await page.getByRole("textbox", { name: `${tool} expression` }).fill(expression);
    await page.locator("[data-testid=expression-result]", { hasText: shown }).waitFor();
  }
  await page.getByRole("textbox", { name: "CEL expression" }).fill("object.a && object.b");
  await page.locator(".tree", { hasText: "&&" }).waitFor();
});

test("it works without a network after it was opened once", async ({ begin }) => {
  const { page, context } = await begin();
  await page.evaluate(workerReady);
  await context.setOffline(true);
  await page.reload();
  await finished(page);
  assert.match(await page.locator("[data-testid=headline]").innerText(), /object/);
});

test("it can be used from a keyboard alone", async ({ begin }) => {
  const { page } = await begin();
  const seen: string[] = [];
  for (let count = 0; count < 40; count++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(focused);
    seen.push(name);
    // Editors keep Tab to indent; Escape gives it back.
    if (name.includes("YAML")) await page.keyboard.press("Escape");
  }
  for (
    const name of ["Examples", "Share", "Policies, YAML", "Resources, YAML", "Cluster", "Result in detail"]
  ) {
    assert(seen.some((each) => each.includes(name)), `${name} is not reached: ${seen.join(" | ")}`);
  }
});

const edges: readonly (readonly [name: string, pane: string, key: string, side: "width" | "height"])[] = [
  ["Width of the policies", ".pane-policies", "ArrowRight", "width"],
  ["Width of the result", ".pane-result", "ArrowLeft", "width"],
  ["Height of the resources", ".pane-resources", "ArrowDown", "height"],
];
test("panes are resized by dragging and by arrow keys, and keep their sizes", async ({ begin }) => {
  const { page } = await begin();
  const sizeOf = async (pane: string, side: "width" | "height"): Promise<number> =>
    (await page.locator(pane).boundingBox())![side];
  for (const [name, pane, key, side] of edges) {
    const edge = page.getByRole("separator", { name });
    const at = async (percent: number): Promise<void> =>
      await page.locator(`[aria-label="${name}"][aria-valuenow="${percent}"]`).waitFor();
    const usual = Number(await edge.getAttribute("aria-valuenow"));
    const before = await sizeOf(pane, side);
    await edge.focus();
    for (let count = 0; count < 3; count++) await page.keyboard.press(key);
    await at(key === "ArrowLeft" ? usual - 6 : usual + 6);
    const moved = await sizeOf(pane, side);
    assert(moved > before + 20, `${name}: ${before}, ${moved}`);
    await page.keyboard.press("Enter");
    await at(usual);
    assert.equal(Math.round(await sizeOf(pane, side)), Math.round(before));
  }
  const { x, y, width } =
    (await page.getByRole("separator", { name: "Width of the policies" }).boundingBox())!;
  await page.mouse.move(x + width / 2, y + 200);
  await page.mouse.down();
  await page.mouse.move(x + 150, y + 200, { steps: 5 });
  await page.mouse.up();
  await page.locator('[aria-label="Width of the policies"]:not([aria-valuenow="33"])').waitFor();
  const dragged = await sizeOf(".pane-policies", "width");
  assert(Math.abs(dragged - (x + 150 - 16)) < 30, `${dragged}`);
  await page.reload();
  await finished(page);
  assert.equal(Math.round(await sizeOf(".pane-policies", "width")), Math.round(dragged));
});

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds no violation, ${colorScheme}`, async ({ browser, url }) => {
    // The page's policy forbids scripts from elsewhere: axe is one.
    const context = await browser.newContext({ ...desktop, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${url}/playground/`);
    await finished(page);
    assert.deepEqual(await violations(page), [], "policies");
    await page.getByRole("button", { name: "Examples" }).click();
    await page.locator(".example").first().waitFor();
    assert.deepEqual(await violations(page), [], "examples");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "CEL", exact: true }).click();
    await page.locator(".tree").waitFor();
    assert.deepEqual(await violations(page), [], "expressions");
    await page.getByRole("button", { name: "Policies", exact: true }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of ["Policies", "Resources", "Context", "Result"]) {
      await page.locator(".phone-tabs").getByRole("button", { name }).click();
      assert.deepEqual(await violations(page), [], `phone, ${name}`);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(width, 390, `${name}: the page does not move sideways`);
    }
  });
}

test("a saved test passes with postern test", async ({ begin }) => {
  const { page } = await begin();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download test" }).click();
  const folder = await Deno.makeTempDir({ prefix: "postern-site-" });
  try {
    await (await saved).saveAs(`${folder}/test.zip`);
    const files = unzip(await Deno.readFile(`${folder}/test.zip`));
    for (const [name, bytes] of Object.entries(files)) {
      await Deno.mkdir(`${folder}/kyverno-test`, { recursive: true });
      await Deno.writeFile(`${folder}/${name}`, bytes);
    }
    const { success, stdout } = await new Deno.Command("deno", {
      args: ["run", "-A", "main.ts", "test", folder],
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
    }).output();
    assert(success, new TextDecoder().decode(stdout));
    assert.match(new TextDecoder().decode(stdout), /2 tests passed and 0 tests failed/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Kilobytes (1,000 bytes), gzipped, of everything that the page loads with the editor, and of all its files. */
test("the page weighs less than 600 KB gzipped, and the first result is there soon", async ({ begin }) => {
  const folder = new URL("../../site/dist/playground/", import.meta.url);
  let total = 0;
  for await (const { name } of Deno.readDir(folder)) {
    const stream = (await Deno.open(new URL(name, folder))).readable.pipeThrough(
      new CompressionStream("gzip"),
    );
    total += (await new Response(stream).bytes()).length;
  }
  assert(total < 600_000, `${total} bytes`);
  const openings: number[] = [];
  for (let count = 0; count < 5; count++) {
    const { page } = await begin();
    openings.push(await page.evaluate(() => performance.getEntriesByName("first-result")[0]!.startTime));
  }
  const fastest = Math.min(...openings);
  assert(fastest < firstResultBudget(), `${openings.map(Math.round)} ms, budget ${firstResultBudget()} ms`);
});

/**
 * Milliseconds until the first result: a second, and as much again for each process that shares a processor with the
 * test.
 */
function firstResultBudget(): number {
  return 1_000 * (1 + Deno.loadavg()[0]! / navigator.hardwareConcurrency);
}
