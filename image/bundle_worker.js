/** The thread that checks sigstore bundles of images: it runs as the engine does, with the same packages. */
import { runFile } from "./engine.js";

runFile("bundle_worker.cjs");
