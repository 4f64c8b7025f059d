/**
 * Runs while the image is built. Loads the modules of Node that a start loads, one after the other, so that Deno writes
 * their compiled code into its cache (`DENO_DIR`). A start cannot fill the cache in the same way twice: it loads
 * modules in an order that depends on files and threads, and V8 numbers them in that order.
 */
import process from "node:process";

const names = ["module", "vm", "timers", "stream", "net", "tls", "v8", "crypto", "worker_threads", "cluster"];
for (const name of names) {
  process.getBuiltinModule(`node:${name}`);
  // Deno's own code imports them.
  await import(`node:${name}`);
}
