/**
 * The entry point of the image. It runs the engine as a script and not as a module: Deno parses modules to find their
 * imports, and for a bundle of 2 MB that takes 50 MiB, which the C library does not give back (docs/memory.md).
 */
import { compileEngine, runEngine } from "./engine.js";

runEngine(compileEngine());
