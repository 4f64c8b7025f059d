/** Compiles and runs the engine of the image, which is one file of CommonJS. */
import process from "node:process";
import { Script } from "node:vm";

const folder = import.meta.dirname;

/**
 * V8's code cache of the engine, made with the image (docs/memory.md). V8 accepts it only with the flags with which it
 * was made.
 */
export const codeCache = `${folder}/engine.cache`;

/** The offsets of the functions that a start calls, in the engine's text. The file exists only during a build. */
export const calledFunctions = `${folder}/called_functions.json`;

/** The engine's name without its folder. The code cache contains it, and must not depend on the folder of the build. */
export const engineName = "engine.cjs";

/** The engine's text. The build has wrapped it in a function with the parameters of a CommonJS module. */
export function engineText() {
  return Deno.readTextFileSync(`${folder}/${engineName}`);
}

/** Compiles the engine. */
export function compileEngine() {
  return new Script(engineText(), {
    filename: engineName,
    // Without a cache V8 compiles the engine from its text.
    cachedData: read(() => Deno.readFileSync(codeCache)),
  });
}

/** Runs the compiled engine, which runs the command in the process's arguments. */
export function runEngine(script) {
  run(script, engineName);
}

/** Runs a CommonJS module, and returns its exports. */
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

/** Node's modules that must be loaded at once: their exports are more than functions, or each request uses them. */
const whole = new Set(["node:buffer", "node:events", "node:process", "node:stream", "node:timers"]);

/**
 * Returns a module, of Node or of a package, that is loaded when one of its exports is first read. The bundle requires
 * the modules of all commands, and loading them took a tenth of a start. A write goes to the module itself, so that
 * others who require it see it: the code that verifies images replaces `verify` of `node:crypto`.
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

/** Stands for `import()`, by which the build replaced it in the engine's text. Returns a promise of the module. */
require.load = async (name) =>
  name.startsWith("node:") ? require(name) : await loadPackages().packages[name]();

let loaded;

function loadPackages() {
  return loaded ??= runFile("packages.cjs");
}

/** Compiles and runs another file of the build, and returns its exports. */
export function runFile(name) {
  return run(new Script(Deno.readTextFileSync(`${folder}/${name}`), { filename: name }), name);
}
