/**
 * Runs while the image is built. Writes V8's code cache of the engine: a start then compiles neither the engine's 2 MB
 * of text nor the functions that it calls before its first decision.
 *
 * V8 caches the functions that have run, but with feedback about their values, which differs from run to run. So this
 * script runs none of them. It requests the possible breakpoints of each function from V8's debugger, for which V8
 * compiles the function, and the compiled code is the same each time.
 */
import { Session } from "node:inspector/promises";
import process from "node:process";
import { codeCache, compileEngine, engineName, engineText, readCalledFunctions } from "./engine.js";

const script = compileEngine();
// The debugger lists a script after it has run. The script's value is one function, which is not called here.
script.runInThisContext();
const session = new Session();
session.connect();
const { promise: parsed, resolve } = Promise.withResolvers();
session.on("Debugger.scriptParsed", ({ params }) => params.url === engineName && resolve(params.scriptId));
await session.post("Debugger.enable");
const scriptId = await parsed;
const text = engineText(), lines = startsOfLines(text);
for (const offset of readCalledFunctions() ?? []) {
  const start = positionOf(insideOf(offset));
  const end = { ...start, columnNumber: start.columnNumber + 1 };
  await session.post("Debugger.getPossibleBreakpoints", { start, end, restrictToFunction: true });
}
await session.post("Debugger.disable");
Deno.writeFileSync(codeCache, script.createCachedData());
process.exit(0);

/** An offset inside a function. For V8 a function begins at its parameters. */
function insideOf(offset) {
  return /^(?:async )?function/.test(text.slice(offset, offset + 16)) ? text.indexOf("(", offset) : offset;
}

function startsOfLines(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionOf(offset) {
  const next = lines.findIndex((start) => start > offset);
  const lineNumber = (next < 0 ? lines.length : next) - 1;
  return { scriptId, lineNumber, columnNumber: offset - lines[lineNumber] };
}
