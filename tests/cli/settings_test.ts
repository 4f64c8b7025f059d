/** The settings of Deno and V8 and the permissions of the command line, which stand where it can be started. */
import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);

function flagsOf(text: string): string[] {
  return [...text.matchAll(/--(?:v8-flags|allow|unstable)[\w-]*(?:=[\w,=-]+)?/g)].map(([flag]) => flag)
    .toSorted();
}

function lineWith(text: string, part: string): string {
  const line = text.replaceAll("\\\n", " ").split("\n").find((each) => each.includes(part));
  assert.ok(line !== undefined, `no line with ${part}`);
  return line;
}

Deno.test("the command line has the same settings and permissions, however it is started", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(path, root));
  const task = JSON.parse(await read("deno.json")).tasks.postern as string;
  const wrapper = lineWith(await read("bin/postern"), "exec deno run");
  const installed = lineWith(await read("README.md"), "deno install --global");
  assert.equal(flagsOf(task).length > 5, true);
  assert.deepEqual(flagsOf(wrapper), flagsOf(task));
  assert.deepEqual(flagsOf(installed), flagsOf(task));
});

Deno.test("the command line and the server do not look through the packages of the whole workspace when they start", async () => {
  const { start, dev, postern } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root))).tasks;
  const wrapper = lineWith(await Deno.readTextFile(new URL("bin/postern", root)), "exec deno run");
  for (const line of [start, dev, postern, wrapper]) assert.match(line, / --node-modules-dir=none /);
});

Deno.test("the command line reads the modules of one command; the server, which gains nothing, may be denied its checkout", async () => {
  const { start, postern } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root))).tasks;
  assert.match(postern, / --unstable-lazy-dynamic-imports /);
  assert.doesNotMatch(start, /lazy/);
});

Deno.test("deno task start may read all that the server loads late: certificates, background work, probes", async () => {
  const { start } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root))).tasks;
  const [deno, ...args] = start.split(" ");
  const process = new Deno.Command(deno, {
    args: [...args, "--port", "0", "--metrics-port", "0"],
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
    const served = said.includes("Try it:");
    said += text;
    // A second signal would end it at once.
    if (!served && said.includes("Try it:")) process.kill("SIGTERM");
  }
  assert.equal((await process.status).code, 0, said);
  assert.match(said, /Postern listens on https:/);
  assert.doesNotMatch(said, /Requires|"level":"(?:warn|error)"/);
});
