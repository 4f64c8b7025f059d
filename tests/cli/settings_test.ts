/** The settings of V8 and the permissions of the command line, which stand where it can be started. */
import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);

function flagsOf(text: string): string[] {
  return [...text.matchAll(/--(?:v8-flags|allow)[\w-]*(?:=[\w,=-]+)?/g)].map(([flag]) => flag).toSorted();
}

function lineWith(text: string, part: string): string {
  const line = text.replaceAll("\\\n", " ").split("\n").find((each) => each.includes(part));
  assert.ok(line !== undefined, `no line with ${part}`);
  return line;
}

Deno.test("the command line has the same V8 settings and permissions, however it is started", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(path, root));
  const task = JSON.parse(await read("deno.json")).tasks.postern as string;
  const wrapper = lineWith(await read("bin/postern"), "exec deno run");
  const installed = lineWith(await read("README.md"), "deno install --global");
  assert.equal(flagsOf(task).length > 4, true);
  assert.deepEqual(flagsOf(wrapper), flagsOf(task));
  assert.deepEqual(flagsOf(installed), flagsOf(task));
});

Deno.test("the command line and the server do not look through the packages of the whole workspace when they start", async () => {
  const { start, dev, postern } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root))).tasks;
  const wrapper = lineWith(await Deno.readTextFile(new URL("bin/postern", root)), "exec deno run");
  for (const line of [start, dev, postern, wrapper]) assert.match(line, / --node-modules-dir=none /);
});
