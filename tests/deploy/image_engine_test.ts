/** The image gives its bundle modules of Node whose code is loaded when one of their members is first read. */
import assert from "node:assert/strict";
import { packages } from "../../image/packages.ts";
import { addImageFiles } from "../support/image.ts";
import { withFolder } from "../support/folder.ts";

const root = new URL("../../", import.meta.url).pathname;

/** A program whose parts import modules in each way that a bundle has. */
const parts = {
  "main.ts": `
import crypto from "node:crypto";
import { EventEmitter } from "node:events";
import path, { join } from "node:path";
import { verifyOfOther } from "./other.ts";
class Emitter extends EventEmitter {}
const replacement = () => true;
const before = verifyOfOther() === crypto.verify;
Object.assign(crypto, { verify: replacement });
console.log(JSON.stringify({
  before,
  after: verifyOfOther() === replacement,
  joined: [join("a", "b"), path.basename("a/b")],
  emits: new Emitter().once("x", () => {}).emit("x"),
}));`,
  "other.ts": `
import { verify } from "node:crypto";
export const verifyOfOther = (): unknown => verify;`,
};

Deno.test("every part of the image's bundle uses the replaced functions of Node", async () => {
  await withFolder({}, async (folder) => {
    for (const [name, text] of Object.entries(parts)) await Deno.writeTextFile(`${folder}/${name}`, text);
    const run = async (...args: string[]): Promise<string> => {
      const command = new Deno.Command(Deno.execPath(), { args, cwd: folder });
      const { stdout, stderr } = await command.output();
      const text = new TextDecoder();
      assert.equal(text.decode(stderr), "");
      return text.decode(stdout);
    };
    await run("bundle", "--quiet", "--minify", "--format", "cjs", "--output", "engine.cjs", "main.ts");
    await addImageFiles(folder);
    assert.deepEqual(JSON.parse(await run("run", "--allow-read=.", "postern.js")), {
      before: true,
      after: true,
      joined: ["a/b", "b"],
      emits: true,
    });
  });
});

Deno.test("the image has a file of its own for the packages that are loaded on demand, all of them", async () => {
  const wanted = new Set<string>();
  const read = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await read(`${folder}/${name}`);
      else {
        const text = await Deno.readTextFile(`${folder}/${name}`);
        // The image takes modules of Node from the runtime.
        for (const [, name] of text.matchAll(/await import\("((?!node:)[^".][^"]*)"/g)) wanted.add(name!);
      }
    }
  };
  await read(`${root}lib`);
  assert.deepEqual(Object.keys(packages).toSorted(), [...wanted].toSorted());
});
