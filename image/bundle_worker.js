/** The program of the thread that checks sigstore bundles. It runs as the engine does, with the same packages. */
import { runFile } from "./engine.js";

runFile("bundle_worker.cjs");
