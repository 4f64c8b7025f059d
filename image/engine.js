/** The engine of the image: how its one file of CommonJS is compiled. */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";

const folder = import.meta.dirname;

/** What V8 made of the engine when the image was built; see docs/memory.md. V8 takes it only with the flags it was made with. */
export const codeCache = `${folder}/engine.cache`;

/** Compiles the engine: it is a function that takes what a CommonJS module gets. */
export function compileEngine() {
  // Its name is in the code cache, too: without the folder, so that images are the same wherever they are made.
  const filename = "engine.cjs";
  // A bundle is ASCII, and Latin-1 keeps one byte a character in memory.
  const source = `(function (exports, require, module, __filename, __dirname) {${
    readFileSync(`${folder}/engine.cjs`, "latin1")
  }\n})`;
  return new Script(source, { filename, cachedData: cached() });
}

function cached() {
  try {
    return readFileSync(codeCache);
  } catch {
    // Without it the engine is compiled from its text.
    return undefined;
  }
}
