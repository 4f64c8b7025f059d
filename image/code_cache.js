/**
 * Writes what V8 makes of the engine's text into a file, when the image is built: a start then needs not compile 2 MB. Only
 * of the text, and not of what a run compiles further: that differs from run to run, and images must not.
 */
import { writeFileSync } from "node:fs";
import { codeCache, compileEngine } from "./engine.js";

writeFileSync(codeCache, compileEngine().createCachedData());
