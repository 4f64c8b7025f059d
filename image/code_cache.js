/**
 * Writes what V8 makes of the engine's text into a file, when the image is built: a start then needs not compile 2 MB, nor the
 * functions that it calls up to its first decision. V8 would put functions that have run into its cache, but also notes in them
 * what it saw, and that differs from run to run. So nothing runs here: a debugger that looks for places where a function can be
 * stopped has V8 compile it, and what it compiles is the same each time.
 */
import { Session } from "node:inspector/promises";
import process from "node:process";
import { codeCache, compileEngine, engineName, engineText, readCalledFunctions } from "./engine.js";

const script = compileEngine();
// The debugger knows a script once it has run, which here makes a function and does not call it.
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

/** A place that is inside a function: V8 takes that to be where its parameters begin. */
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
