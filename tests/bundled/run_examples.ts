/** Runs the tests of the folders that it is given, and ends with code 1 when one does not give what it expects. */
import { findTests, runTest, testRows } from "../../lib/testing/mod.ts";

const { tests, diagnostics } = await findTests(Deno.args, "kyverno-test.yaml");
const wrong: unknown[] = [...diagnostics];
for (const found of tests) {
  const run = await runTest(found, { dialect: "classic" });
  wrong.push(...run.diagnostics.filter(({ severity }) => severity === "error"));
  const { rows } = await testRows(run, found.test.results);
  if (rows.length === 0) wrong.push(`${found.folder}: no rows`);
  wrong.push(...rows.filter(({ result }) => result !== "Pass"));
}
const text = `${tests.length} tests\n${wrong.map((each) => Deno.inspect(each)).join("\n")}`;
Deno.stdout.writeSync(new TextEncoder().encode(text));
Deno.exit(wrong.length > 0 || tests.length === 0 ? 1 : 0);
