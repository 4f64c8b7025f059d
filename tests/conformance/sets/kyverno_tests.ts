import { dirname, join, relative } from "node:path";
import { findTests, type FoundTest, runTest, testRows } from "../../../lib/testing/mod.ts";
import type { Dialect } from "../../../lib/match/mod.ts";
import type { TestRow } from "../../../lib/report/mod.ts";
import { type Check, checkText, type ConformanceSet, type Row } from "../set.ts";

/** Groups of tests by what their policies need; a test belongs to the first group that fits. */
const groups = ["-cel", "-images", ""] as const;

type Group = typeof groups[number];

/** The rows are those of Kyverno 1.19, which `current` follows; where `classic` differs, the aspect says so. */
const dialects: readonly { readonly dialect: Dialect; readonly aspect: string }[] = [
  { dialect: "current", aspect: "" },
  { dialect: "classic", aspect: "classic " },
];

/** Kyverno's own test folders, run by the code of the `test` command. */
export const kyvernoTestSets: readonly ConformanceSet[] = groups.flatMap((group): ConformanceSet[] => [
  {
    name: `kyverno-tests/library${group}`,
    goals: {},
    rows: (corpus) => libraryTests(join(corpus, "kyverno-tests"), group),
  },
  {
    name: `kyverno-tests/cli${group}`,
    goals: { summary: 0.92, "classic summary": 0.92 },
    rows: (corpus) => commandLineTests(join(corpus, "kyverno-tests"), group),
  },
]);

/**
 * Every row passes. Their number is not compared: for CronJobs Kyverno has, by chance of a map's order, one more
 * row for about an eighth of the policies in CEL.
 */
async function* libraryTests(root: string, group: Group): AsyncGenerator<Row> {
  const folder = join(root, "library");
  const tests = await findTests([folder], "kyverno-test.yaml");
  for (const found of tests.tests) {
    if (await groupOf(found) !== group) continue;
    const id = relative(folder, found.folder).replace(/\/?\.kyverno-test$/, "");
    yield {
      id,
      input: id,
      check: () =>
        inDialects(async ({ dialect, aspect }) =>
          (await rowsOf(found, dialect)).map((row) => passes(row, `${aspect}row`))
        ),
    };
  }
}

/** The checks of both dialects. */
async function inDialects(
  checks: (of: typeof dialects[number]) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  return (await Promise.all(dialects.map(checks))).flat();
}

function passes(row: TestRow, aspect: string): Check {
  const name = `${row.policy} ${row.rule} ${row.resource}`;
  return checkText(
    aspect,
    `${name} Pass`,
    `${name} ${row.result === "Skip" ? "Pass" : row.result} ${row.reason}`
      .replace(/ Pass .*$/, " Pass"),
  );
}

/** The summary of each folder; where Kyverno could not run a test there is nothing to compare. */
async function* commandLineTests(root: string, group: Group): AsyncGenerator<Row> {
  const folder = join(root, "cli");
  for (const line of Deno.readTextFileSync(join(root, "cli-expected.txt")).split("\n")) {
    const [, summary, path] = /^(\d+ tests passed and \d+ tests failed) (.*)$/.exec(line) ?? [];
    if (summary === undefined || path === undefined) continue;
    // Kyverno was given the folder, so tests in folders below count too.
    const { tests } = await findTests([join(folder, dirname(path))], "kyverno-test.yaml");
    const kinds = await Promise.all(tests.map(groupOf));
    if (!groups.filter((each) => kinds.includes(each)).slice(0, 1).includes(group)) continue;
    const id = path.replace(/^\.\//, "").replace(/\/kyverno-test\.yaml$/, "");
    yield {
      id,
      input: id,
      check: () =>
        inDialects(async ({ dialect, aspect }) => [
          checkText(`${aspect}summary`, summary, await summaryOf(tests, dialect)),
        ]),
    };
  }
}

async function summaryOf(tests: readonly FoundTest[], dialect: Dialect): Promise<string> {
  const rows = (await Promise.all(tests.map((found) => rowsOf(found, dialect)))).flat();
  const failed = rows.filter(({ result }) => result === "Fail").length;
  return `${rows.length - failed} tests passed and ${failed} tests failed`;
}

async function rowsOf(found: FoundTest, dialect: Dialect): Promise<readonly TestRow[]> {
  const run = await runTest(found, { dialect });
  return (await testRows(run, found.test.results)).rows;
}

async function groupOf({ folder, test }: FoundTest): Promise<Group> {
  const texts = await Promise.all(test.policies.map((path) => textOf(join(folder, path))));
  const text = texts.join("\n");
  if (/^kind: (Namespaced)?(Validating|Mutating|Generating|Deleting|ImageValidating)\w*Policy/m.test(text)) {
    return "-cel";
  }
  if (/^\s+(- )?(cel|celPreconditions):/m.test(text)) return "-cel";
  return /^\s+(- )?(verifyImages|manifests|imageRegistry):/m.test(text) ? "-images" : "";
}

async function textOf(path: string): Promise<string> {
  try {
    if (!(await Deno.stat(path)).isDirectory) return await Deno.readTextFile(path);
    const names = [...Deno.readDirSync(path)].map(({ name }) => join(path, name));
    return (await Promise.all(names.map(textOf))).join("\n");
  } catch {
    return "";
  }
}
