/** `cel`, `replay`, `schema`, `docs`, `completion`, `version`, and commands that only say what to use instead. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { commands, hiddenCommands } from "../../lib/cli/commands/table.ts";
import { good, policy, review } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

const files = { "policy.yaml": policy, "pod.yaml": good, "variables.yaml": "params: { most: 3 }\n" };

const evaluated: [args: string[], code: number, out: string, err: RegExp][] = [
  [["eval", "-i", "@pod.yaml", "object.metadata.name"], 0, '"good"', /^$/],
  [["eval", "quantity('1Gi').isGreaterThan(quantity('1Mi'))", "[1, 2]"], 0, "true\n[\n  1,\n  2\n]", /^$/],
  [["eval", "params.most + 1", "--variables", "@variables.yaml", "--cost"], 0, "4", /^cost: \d+$/],
  [["eval", "1/0"], 1, "", /^error: 1\/0: division by zero$/],
  [["eval", "a +"], 1, "", /^ERROR: <input>:1:4: Syntax error/],
  [["eval", "1", "-i", "@missing.yaml"], 2, "", /missing\.yaml: There is no such file/],
  [["check", "[1, 2]"], 0, "[1, 2]: list(int)", /^$/],
  [["check", "nothing", "1"], 1, "1: int", /undeclared reference to 'nothing'/],
];
for (const [args, code, out, err] of evaluated) {
  Deno.test(`postern cel ${args.join(" ")} ends with ${code}`, () =>
    inFolder(files, async (run) => {
      const ran = await run("cel", ...args);
      assert.deepEqual([ran.code, ran.out], [code, out]);
      assert.match(ran.err, err);
    }));
}

Deno.test("replay reports the answers that differ from the recorded ones", () =>
  inFolder({
    ...files,
    "same.json": review("a", { team: "shop" }, true),
    "denied.json": review("b", {}, true),
    "allowed.json": review("c", { team: "shop" }, false),
    "other.json": "{}",
  }, async (run) => {
    const same = await run("replay", "@same.json", "--policies", "@policy.yaml");
    assert.deepEqual([same.code, same.out], [
      0,
      "same.json:1: Pod shop/a (CREATE by ann): allowed\n\n1 as recorded, 0 differing",
    ]);
    const { code, out } = await run("replay", "@denied.json", "@allowed.json", "--policies", "@policy.yaml");
    assert.match(
      out,
      /Pod shop\/b \(CREATE by ann\): denied, recorded as allowed\n {2}resource Pod\/shop\/b was blocked/,
    );
    assert.match(out, /Pod shop\/c \(CREATE by ann\): allowed, recorded as denied\n {2}recorded: not so/);
    assert.match(out, /0 as recorded, 2 differing$/);
    assert.equal(code, 1);
    assert.match(
      (await run("replay", "@other.json", "--policies", "@policy.yaml")).err,
      /other\.json:1:1: error no-review/,
    );
  }));

Deno.test("schema writes the schemas of all kinds, and suggests a kind", () =>
  inFolder({}, async (run, folder) => {
    assert.equal((await run("schema", "-o", "@schemas")).code, 0);
    const kinds = (await run("schema")).out.split("\n");
    for (const kind of kinds) {
      const text = await Deno.readTextFile(join(folder, "schemas", `${kind}.json`));
      assert.equal(JSON.parse(text).title, kind);
      assert.equal((await run("schema", kind)).out, text.trimEnd());
    }
    assert.match((await run("schema", "ClusterPolcy")).err, /did you mean ClusterPolicy\?/);
  }));

Deno.test("docs writes a page for each command, with its options", () =>
  inFolder({}, async (run, folder) => {
    assert.equal((await run("docs")).code, 2);
    assert.equal((await run("docs", "-o", "@pages", "--website")).code, 0);
    for (const { name } of commands) {
      const page = await Deno.readTextFile(join(folder, "pages", `postern_${name.replace(" ", "_")}.md`));
      assert.ok(page.startsWith(`---\ntitle: "postern ${name}"\n---\n`));
    }
    assert.match(
      await Deno.readTextFile(join(folder, "pages", "postern_apply.md")),
      /\| `-p, --policy-report` \|/,
    );
  }));

const completed: [words: string[], expected: string[]][] = [
  [["app"], ["apply"]],
  [["create", "te"], ["test"]],
  [["apply", "--audit"], ["--audit-warn"]],
  [["create", "test", "--pa"], ["--pass"]],
  [["lint", "--dialect", "cl"], ["classic"]],
  [["serve", "--no-"], ["--no-tls"]],
  [["lint", "--dialect", "=", "cu"], ["current"]],
  [["schema", "ClusterPol"], ["ClusterPolicy"]],
  [["completion", "f"], ["fish"]],
  [["jp", "function", "semver"], ["semver_compare"]],
];
Deno.test("bash completes commands, options and choices", () =>
  inFolder({}, async (run, folder) => {
    const { out } = await run("completion", "bash");
    await Deno.writeTextFile(join(folder, "completion.bash"), out);
    const offered = completed.map(([words]) =>
      `COMP_WORDS=(postern ${words.join(" ")}); COMP_CWORD=${words.length}; _postern; echo "\${COMPREPLY[*]}"`
    );
    const script = `source ${join(folder, "completion.bash")}\n${offered.join("\n")}`;
    const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", script] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.deepEqual(
      new TextDecoder().decode(stdout).trimEnd().split("\n"),
      completed.map(([, expected]) => expected.join(" ")),
    );
  }));

/** The output of a shell; `undefined` when the shell is not installed. */
async function printedBy(shell: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await new Deno.Command(shell, { args: [...args] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    return new TextDecoder().decode(stdout);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw cause;
  }
}

Deno.test("fish, where installed, completes commands, options and choices", () =>
  inFolder({}, async (run, folder) => {
    const file = join(folder, "completion.fish");
    await Deno.writeTextFile(file, (await run("completion", "fish")).out);
    const script = completed.map(([words]) =>
      `complete -C 'postern ${words.join(" ").replace(" = ", "=")}'; echo ==`
    ).join("\n");
    const printed = await printedBy("fish", ["--no-config", "-c", `source ${file}\n${script}`]);
    if (printed === undefined) return;
    const offered = printed.split("==\n").map((text) => text.split("\n").map((line) => line.split("\t")[0]));
    for (const [index, [words, expected]] of completed.entries()) {
      const [joined] = words.includes("=") ? [`--dialect=${expected[0]}`] : [];
      for (const each of expected) assert.ok(offered[index]!.includes(joined ?? each), words.join(" "));
    }
  }));

Deno.test("zsh, where installed, loads the completion", () =>
  inFolder({}, async (run, folder) => {
    const file = join(folder, "completion.zsh");
    await Deno.writeTextFile(file, (await run("completion", "zsh")).out);
    const script =
      `autoload -U compinit; compinit -u -D; source ${file}; whence -w _postern; print $_comps[postern]`;
    const printed = await printedBy("zsh", ["-fc", script]);
    if (printed !== undefined) assert.match(printed, /^_postern: function\n.*-F _postern\n$/);
  }));

for (const shell of ["zsh", "fish", "powershell"]) {
  Deno.test(`the completion for ${shell} names every command and every option`, () =>
    inFolder({}, async (run) => {
      const { out, code } = await run("completion", shell);
      assert.equal(code, 0);
      for (const { name } of commands) {
        for (const word of name.split(" ")) assert.match(out, new RegExp(`\\b${word}\\b`));
      }
      assert.match(out, /audit-warn/);
      // fish describes each word, also those of groups of commands.
      assert.doesNotMatch(out, / -d ''$/m);
    }));
}

Deno.test("completion for another shell ends with 2", () =>
  inFolder({}, async (run) => {
    const { code, err } = await run("completion", "tcsh");
    assert.deepEqual([code, err], [
      2,
      'error: there is no completion for "tcsh"; there are bash, zsh, fish, powershell',
    ]);
  }));

Deno.test("version prints the version as text, JSON and YAML", () =>
  inFolder({}, async (run) => {
    assert.match((await run("version")).out, /^Version: \d+\.\d+\.\d+\n/);
    assert.equal(JSON.parse((await run("version", "-o", "json")).out).kyverno, "1.19.0");
    assert.match((await run("version", "--output=yaml")).out, /^version: \d/);
  }));

for (const { name } of hiddenCommands) {
  Deno.test(`${name} names its replacement, whatever its options`, () =>
    inFolder({}, async (run) => {
      const { code, err } = await run(...name.split(" "), "-i", "x", "y");
      assert.match(err, new RegExp(`^error: not supported: ${name}; \\w`));
      assert.equal(code, 2);
    }));
}
