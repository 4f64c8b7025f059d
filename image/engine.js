/** The engine of the image: how its one file of CommonJS is compiled and run. */
import process from "node:process";
import { Script } from "node:vm";

const folder = import.meta.dirname;

/** What V8 made of the engine when the image was built; see docs/memory.md. V8 takes it only with the flags it was made with. */
export const codeCache = `${folder}/engine.cache`;

/** Where the functions of the engine's text begin that a start calls; only while the image is built. */
export const calledFunctions = `${folder}/called_functions.json`;

/** The engine's name is in the code cache, too: without the folder, so that images are the same wherever they are made. */
export const engineName = "engine.cjs";

/** The text that is compiled: the build has made it a function that takes what a CommonJS module gets. */
export function engineText() {
  return Deno.readTextFileSync(`${folder}/${engineName}`);
}

/** Compiles the engine. */
export function compileEngine() {
  return new Script(engineText(), {
    filename: engineName,
    // Without it the engine is compiled from its text.
    cachedData: read(() => Deno.readFileSync(codeCache)),
  });
}

/** Runs the compiled engine, which then runs the command that the process' arguments name. */
export function runEngine(script) {
  run(script, engineName);
}

/** Runs a module of CommonJS, and returns what it exports. */
function run(script, name) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, `${folder}/${name}`, folder);
  return module.exports;
}

/** The offsets of {@link calledFunctions}, ascending; `undefined` when there is no such file. */
export function readCalledFunctions() {
  const text = read(() => Deno.readTextFileSync(calledFunctions));
  return text === undefined ? undefined : JSON.parse(text);
}

function read(file) {
  try {
    return file();
  } catch {
    return undefined;
  }
}

/** Modules of Node that are more than objects of functions, and those that each request uses. */
const whole = new Set(["node:buffer", "node:events", "node:process", "node:stream", "node:timers"]);

/**
 * Gives a module whose code is loaded when something in it is first read: one of Node, or a package. The bundle requires all
 * that any command needs, and loading that took a tenth of a start. What is written goes into the module, so that whoever else
 * requires it reads it: `node:crypto` gets another `verify` when images are verified.
 */
function require(name) {
  if (whole.has(name)) return process.getBuiltinModule(name);
  const load = () => name.startsWith("node:") ? process.getBuiltinModule(name) : loadPackages().modules[name];
  // The bundle makes objects that inherit from this one.
  return Object.create(
    new Proxy({}, {
      get: (_, key) => load()[key],
      set: (_, key, value) => Reflect.set(load(), key, value),
    }),
  );
}

/** Loads what the engine's text has an `import()` of: a promise. */
require.load = async (name) =>
  name.startsWith("node:") ? require(name) : await loadPackages().packages[name]();

let loaded;

function loadPackages() {
  return loaded ??= runFile("packages.cjs");
}

/** Compiles and runs another file that the build has made, and returns what it exports. */
export function runFile(name) {
  return run(new Script(Deno.readTextFileSync(`${folder}/${name}`), { filename: name }), name);
}
