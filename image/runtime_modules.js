/**
 * Loads the modules of Node that a start loads, one after the other, when the image is built: Deno keeps what V8 makes of them
 * in its cache (`DENO_DIR`). A start itself would not do: it loads them in an order that depends on files and threads, and V8
 * numbers them.
 */
import process from "node:process";

const names = ["module", "vm", "timers", "stream", "net", "tls", "v8", "crypto", "worker_threads", "cluster"];
for (const name of names) {
  process.getBuiltinModule(`node:${name}`);
  // Deno's own code imports them.
  await import(`node:${name}`);
}
