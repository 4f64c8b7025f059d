/** `create`: what is written can be used at once. */
import assert from "node:assert/strict";
import { bad, good, policy, review } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

const files = { "policy.yaml": policy, "pods.yaml": `${good}---\n${bad}` };

Deno.test("create test writes a test that runs", () =>
  inFolder(files, async (run) => {
    const results = ["--pass", "require-team,team,good", "--fail", "require-team,team,bad,default,Pod"];
    const made = await run(
      "create",
      "test",
      "-p",
      "policy.yaml",
      "-r",
      "pods.yaml",
      ...results,
      "-o",
      "@kyverno-test.yaml",
    );
    assert.deepEqual([made.code, made.err], [0, ""]);
    const { code, out } = await run("test", "@");
    assert.match(out, /Test Summary: 2 tests passed and 0 tests failed/);
    assert.equal(code, 0);
  }));

Deno.test("create test writes the present results of recorded reviews as expectations", () =>
  inFolder({
    ...files,
    "one.json": review("with", { team: "shop" }, true),
    "two.json": review("without", {}, false),
  }, async (run) => {
    const made = await run(
      "create",
      "test",
      "-p",
      "@policy.yaml",
      "--review",
      "@one.json,@two.json",
      "-o",
      "@made",
      "-n",
      "seen",
    );
    assert.equal(
      made.out,
      "made/seen-1/kyverno-test.yaml: 1 results\nmade/seen-2/kyverno-test.yaml: 1 results",
    );
    const { out, code } = await run("test", "@made", "-o", "json");
    assert.deepEqual(JSON.parse(out).map((row: { REASON: string }) => row.REASON), ["Ok", "Ok"]);
    assert.equal(code, 0);
  }));

Deno.test("create values, user-info and exception write files that apply reads", () =>
  inFolder(files, async (run) => {
    const values = await run(
      "create",
      "values",
      "-g",
      "request.operation=DELETE",
      "-n",
      "shop,team=web",
      "-o",
      "@values.yaml",
    );
    const user = await run(
      "create",
      "user-info",
      "-u",
      "ann",
      "-g",
      "dev,ops",
      "-c",
      "admin",
      "-o",
      "@user.yaml",
    );
    const exception = await run(
      ...["create", "exception", "leave", "--policy-rules", "require-team,team,autogen-team"],
      ...["--any", "kind=Pod,name=bad", "-o", "@exception.yaml"],
    );
    assert.deepEqual([values.code, user.code, exception.code], [0, 0, 0], exception.err);
    const { out, code } = await run(
      "apply",
      "@policy.yaml",
      "-r",
      "@pods.yaml",
      "-u",
      "@user.yaml",
      "-e",
      "@exception.yaml",
    );
    assert.match(out, /pass: 1, fail: 0, warn: 0, error: 0, skip: 1 /);
    assert.equal(code, 0);
  }));

const refused: [args: string[], said: RegExp][] = [
  [["test", "--pass", "policy"], /--pass policy: write it as policy,rule,resource/],
  [["test", "--review", "@x.json"], /needs --policy and the folder/],
  [["values", "-g", "novalue"], /--global: "novalue": write it as name=value/],
  [["values", "--rule", "policy"], /--rule policy: write it as policy,rule,name=value/],
  [["exception", "x"], /--policy-rules is missing/],
  [["exception", "x", "--policy-rules", "p"], /name the objects with --any or --all/],
  [["exception", "x", "--policy-rules", "p", "--any", "colour=red"], /"colour=red" is none of kind=, name=/],
  [["user-info", "-o", "@no/such/folder/file"], /cannot write to/],
];
for (const [args, said] of refused) {
  Deno.test(`create ${args.join(" ")} ends with 2`, () =>
    inFolder({}, async (run) => {
      const { code, err } = await run("create", ...args);
      assert.match(err, said);
      assert.equal(code, 2);
    }));
}
