/**
 * What the image starts. Deno parses modules to find their imports, and a bundle of 2 MB leaves 50 MiB behind that the C
 * library does not give back; what is required is not parsed. See docs/memory.md.
 */
import { createRequire } from "node:module";

createRequire(import.meta.url)("./engine.cjs");
