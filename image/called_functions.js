/**
 * Runs while the image is built. Writes the list of functions of the engine that a start calls before its first
 * decision; `code_cache.js` compiles these functions into the code cache. The arguments start a gate, and this script
 * sends it one review.
 *
 * Two builds of the same source must give the same image, also on a busy machine. So the clock stands still and long
 * timers never end. If a list exists, this script removes the functions that this start did not call.
 *
 *     deno run … called_functions.js serve --policies policies …
 */
import { Session } from "node:inspector/promises";
import process from "node:process";
import { connect } from "node:tls";
import { calledFunctions, compileEngine, engineName, readCalledFunctions, runEngine } from "./engine.js";

const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "image-build",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    namespace: "default",
    name: "web",
    operation: "CREATE",
    userInfo: { username: "builder", groups: ["system:authenticated"] },
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default", labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "nginx:1.27", securityContext: { privileged: true } }] },
    },
  },
});

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const port = written(/listens on https:\/\/[^:]+:(\d+)/);
// The build may itself run in a pod.
Deno.env.delete("KUBERNETES_SERVICE_HOST");
// Milliseconds of the longest timers that end: those of up to 100 are steps of the start.
let longestTimer = 100;
stopTime();
runEngine(compileEngine());
const [, opened] = await port;
longestTimer = -1;
await send(opened);
const { result } = await session.post("Profiler.takePreciseCoverage");
const { functions } = result.find(({ url }) => url === engineName);
const called = new Set(
  functions.flatMap(({ ranges: [{ count, startOffset }] }) => count > 0 ? [startOffset] : []),
);
const before = readCalledFunctions() ?? [...called].sort((one, other) => one - other);
Deno.writeTextFileSync(calledFunctions, JSON.stringify(before.filter((each) => called.has(each))));
process.exit(0);

/** Stops the clocks and the long timers, so that no evaluation pauses and no periodic work runs. */
function stopTime() {
  const { setTimeout } = globalThis, now = performance.now(), today = Date.now();
  const never = 2 ** 31 - 1;
  performance.now = () => now;
  Date.now = () => today;
  globalThis.setTimeout = (callback, delay = 0, ...rest) =>
    setTimeout(callback, delay > longestTimer ? never : delay, ...rest);
  globalThis.setInterval = (callback) => setTimeout(callback, never);
}

/** Waits until the gate writes a text that matches to standard error or standard output. Resolves with the match. */
function written(pattern) {
  const { promise, resolve } = Promise.withResolvers();
  for (const stream of [Deno.stderr, Deno.stdout]) {
    const write = stream.writeSync.bind(stream);
    stream.writeSync = (bytes) => {
      const match = pattern.exec(new TextDecoder().decode(bytes));
      if (match !== null) resolve(match);
      return write(bytes);
    };
  }
  return promise;
}

/** Sends the review to the gate, and resolves when the decision arrives. */
function send(port) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  const head = [
    "POST /validate/fail HTTP/1.1",
    "Host: postern",
    "Content-Type: application/json",
    `Content-Length: ${review.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${review}`);
  socket.on("error", reject);
  socket.on("data", (bytes) => {
    const answer = bytes.toString();
    if (answer.includes('"allowed":')) resolve();
    else reject(new Error(`the gate answered ${answer}`));
  });
  return promise;
}
