/**
 * What the image starts. Deno parses modules to find their imports, and a bundle of 2 MB leaves 50 MiB behind that the C
 * library does not give back; a script is not parsed by Deno. See docs/memory.md.
 */
import { compileEngine, runEngine } from "./engine.js";

runEngine(compileEngine());
