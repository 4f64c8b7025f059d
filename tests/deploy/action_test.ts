/** The GitHub Action and the hooks for pre-commit do in a shell what they say. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  field,
  isFault,
  type JsonObject,
} from "../../lib/json/mod.ts";
import { parseYaml } from "../../lib/yaml/mod.ts";
import { bad, good, policy } from "../cli/team_policies.ts";
import { withFolder } from "../support/folder.ts";

const root = join(import.meta.dirname!, "..", "..");

async function yamlOf(file: string): Promise<JsonObject | readonly JsonObject[]> {
  const value = parseYaml(await Deno.readTextFile(join(root, file)));
  assert.ok(!isFault(value));
  return value as JsonObject;
}

const files = {
  "policies/policy.yaml": policy,
  "good, one.yaml": good,
  "bad.yaml": bad,
  "output": "",
};

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function shell(script: string, cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  // As GitHub runs `shell: bash`.
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
  const { code, stdout, stderr } = await new Deno.Command("bash", { args, cwd, env, stdin: "null" }).output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** Runs the steps of the action that are scripts, with inputs and their defaults. */
async function runAction(inputs: Readonly<Record<string, string>>, folder: string): Promise<Ended> {
  const action = await yamlOf("action.yml") as JsonObject;
  const value = (expression: string): string => {
    if (expression === "github.action_path") return root;
    const name = expression.replace(/^inputs\./, "");
    const given = inputs[name] ?? asString(dig(action, "inputs", name, "default"));
    assert.ok(given !== undefined, `no input ${name}`);
    return given;
  };
  const steps = asList(dig(action, "runs", "steps")).filter((step) => field(step, "run") !== undefined);
  assert.equal(steps.length, 1);
  const [step] = steps;
  const script = asString(field(step!, "run"))!;
  assert.doesNotMatch(
    script,
    /\$\{\{/,
    "inputs come by the environment: in the script they could be commands",
  );
  const env = Object.fromEntries(
    Object.entries(asObject(field(step!, "env")) ?? {}).map(([name, text]) => [
      name,
      String(text).replace(/\$\{\{ *([^ }]+) *\}\}/g, (_, expression) => value(expression)),
    ]),
  );
  return await shell(script, folder, { ...env, GITHUB_OUTPUT: join(folder, "output") });
}

Deno.test("the action annotates failures, writes SARIF and fails", () =>
  withFolder(files, async (folder) => {
    const { code, out, err } = await runAction({
      policies: "policies\n",
      resources: "bad.yaml\ngood, one.yaml",
    }, folder);
    assert.equal(code, 1, err);
    assert.match(out, /^::error file=bad\.yaml,line=3,col=1,title=require-team\/team::Pod default\/bad: /);
    const sarif = JSON.parse(await Deno.readTextFile(join(folder, "postern.sarif")));
    assert.equal(sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri, "bad.yaml");
    assert.equal(await Deno.readTextFile(join(folder, "output")), "sarif=postern.sarif\n");
  }));

Deno.test("the action passes when nothing fails", () =>
  withFolder(files, async (folder) => {
    const { code, out } = await runAction({
      policies: "policies",
      resources: "good, one.yaml",
      sarif: "a b.sarif",
    }, folder);
    assert.deepEqual([code, out], [0, ""]);
    assert.equal(JSON.parse(await Deno.readTextFile(join(folder, "a b.sarif"))).runs[0].results.length, 0);
  }));

Deno.test("the action takes indented lines and lines without text, and writes no SARIF where none is wanted", () =>
  withFolder(files, async (folder) => {
    const { code, out, err } = await runAction({
      policies: "  policies \n\n   \n",
      resources: "  bad.yaml\r\n",
      sarif: "",
    }, folder);
    assert.equal(code, 1, err);
    assert.match(out, /^::error file=bad\.yaml,[^\n]*\n$/);
    assert.equal(await Deno.readTextFile(join(folder, "output")), "sarif=\n");
  }));

Deno.test("the action never runs an input as a command", () =>
  withFolder(files, async (folder) => {
    const { code } = await runAction(
      { policies: "policies", resources: "$(touch pwned); `touch pwned`" },
      folder,
    );
    assert.equal(code, 1);
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name === "pwned"), []);
  }));

/**
 * The command that pre-commit runs for a hook: the entry from the hook's checkout, its arguments, then the staged
 * files that the hook selects.
 */
function commandOf(hook: JsonObject, staged: readonly string[]): string {
  const files = staged.filter((file) => new RegExp(asString(hook["files"])!).test(file));
  const passed = hook["pass_filenames"] === false ? [] : files;
  return [`${root}/${hook["entry"]}`, ...asTexts(hook["args"]), ...passed].join(" ");
}

Deno.test("the pre-commit hooks run from the checkout in the user's repository", () =>
  withFolder(files, async (folder) => {
    const hooks = await yamlOf(".pre-commit-hooks.yaml") as readonly JsonObject[];
    assert.deepEqual(hooks.map(({ language }) => language), ["script", "script"]);
    const [lint, test] = hooks;
    assert.deepEqual([lint!["id"], test!["id"]], ["postern-lint", "postern-test"]);
    const staged = ["policies/policy.yaml", "policies/broken.yaml", "bad.yaml", "policies/README.md"];
    // Not the staged files: beside policies there are tests and their objects, which are no policies.
    assert.match(commandOf(lint!, staged), /lint policies$/);
    await Deno.mkdir(join(folder, "policies", "test"));
    await Deno.writeTextFile(join(folder, "policies", "test", "pod.yaml"), bad);
    assert.equal((await shell(commandOf(lint!, staged), folder)).code, 0);
    await Deno.writeTextFile(
      join(folder, "policies", "broken.yaml"),
      policy.replace("pattern", "pattren").replace("require-team", "broken"),
    );
    const broken = await shell(commandOf(lint!, staged), folder);
    assert.match(broken.out, /policies\/broken\.yaml:\d+:\d+: error .*\n {2}hint: did you mean "pattern"\?/);
    assert.equal(broken.code, 1);
    assert.match(commandOf(test!, staged), /test policies$/);
    assert.match((await shell(commandOf(test!, staged), folder)).err, /No test yamls available/);
  }));

Deno.test("a link to the script in $PATH runs the checkout", () =>
  withFolder(files, async (folder) => {
    await Deno.symlink(join(root, "bin", "postern"), join(folder, "postern"));
    const { out, code } = await shell(`${folder}/postern version`, folder);
    assert.match(out, /^Version: /);
    assert.equal(code, 0);
  }));
