/**
 * Writes which functions of the engine a start calls up to its first decision, when the image is built: the code cache holds
 * these. Its arguments start the gate, which gets a review. If the file is there, functions that it does not name are left out:
 * whether a timer has run differs from start to start, and an image must come out the same twice.
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
const port = listeningPort();
// The build may itself run in a pod.
Deno.env.delete("KUBERNETES_SERVICE_HOST");
runEngine(compileEngine());
await send(await port);
const { result } = await session.post("Profiler.takePreciseCoverage");
const { functions } = result.find(({ url }) => url === engineName);
const called = new Set(
  functions.flatMap(({ ranges: [{ count, startOffset }] }) => count > 0 ? [startOffset] : []),
);
const before = readCalledFunctions() ?? [...called].sort((one, other) => one - other);
Deno.writeTextFileSync(calledFunctions, JSON.stringify(before.filter((each) => called.has(each))));
process.exit(0);

/** The port that the gate writes to standard error when it is open. */
function listeningPort() {
  const { promise, resolve } = Promise.withResolvers();
  const write = Deno.stderr.writeSync.bind(Deno.stderr);
  Deno.stderr.writeSync = (bytes) => {
    const [, port] = /listens on https:\/\/[^:]+:(\d+)/.exec(new TextDecoder().decode(bytes)) ?? [];
    if (port !== undefined) resolve(Number(port));
    return write(bytes);
  };
  return promise;
}

/** Sends the review, and waits for the decision. */
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
