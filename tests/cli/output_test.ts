/** `apply --output`: what is written where. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ObjectFiles } from "../../lib/cli/mod.ts";

const outputs = [
  { file: "web-mutated", object: { kind: "Pod", metadata: { name: "web" } } },
  { file: "web-mutated", object: { kind: "Secret", metadata: { name: "target" } } },
  { file: "../../quota-generated", object: { kind: "ResourceQuota" } },
];

async function writeOutputs(given: typeof outputs, path: string): Promise<string | undefined> {
  const files = new ObjectFiles(path);
  return await files.open() ?? await files.write(given);
}

async function within(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a folder gets one file for each name, with the documents in order", () =>
  within(async (folder) => {
    const path = join(folder, "new", "folder");
    assert.equal(await writeOutputs(outputs, path), undefined);
    assert.deepEqual(
      [...Deno.readDirSync(path)].map(({ name }) => name).sort(),
      [
        "__.._quota-generated.yaml",
        "web-mutated.yaml",
      ].sort(),
    );
    assert.equal(
      await Deno.readTextFile(join(path, "web-mutated.yaml")),
      "kind: Pod\nmetadata:\n    name: web\n\n---\n\nkind: Secret\nmetadata:\n    name: target\n\n---\n\n",
    );
  }));

Deno.test("a .yaml file gets all objects and loses its former content", () =>
  within(async (folder) => {
    const path = join(folder, "all.yaml");
    await Deno.writeTextFile(path, "old: yes\n");
    await writeOutputs(outputs, path);
    const text = await Deno.readTextFile(path);
    assert.equal(text.match(/^---$/gm)?.length, 3);
    assert.doesNotMatch(text, /old/);
    await writeOutputs([], path);
    assert.equal(await Deno.readTextFile(path), "");
  }));

Deno.test("a failed write is reported", () =>
  within(async (folder) => {
    await Deno.writeTextFile(join(folder, "file"), "");
    assert.match(await writeOutputs(outputs, join(folder, "file")) ?? "", /^cannot write to .*file/);
  }));
