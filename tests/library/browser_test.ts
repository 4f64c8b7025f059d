/** The library in a browser: its bundle needs nothing that only Deno or Node has, is small, and decides the same. */
import assert from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import { admissionReview, pod } from "../server/review.ts";
import { policies } from "./policies.ts";
import { withFolder } from "../support/folder.ts";

const root = new URL("../../", import.meta.url);

/** Kilobytes (1,000 bytes) that a page loads for an entry, gzipped. */
const entries: readonly [entry: string, most: number][] = [
  ["mod.ts", 337],
  ["lib/simulation/mod.ts", 360],
  ["lib/cel/mod.ts", 150],
  ["lib/jmespath/mod.ts", 140],
  ["lib/patch/mod.ts", 60],
  ["lib/yaml/mod.ts", 40],
];

/** Bundles an entry for browsers into a file. */
async function bundle(entry: string, out: string): Promise<void> {
  const args = ["bundle", "--quiet", "--platform", "browser", "--minify", "--output", out];
  const { success, stderr } = await new Deno.Command("deno", {
    args: [...args, fileURLToPath(new URL(entry, root))],
    cwd: fileURLToPath(root),
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

async function gzippedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).bytes()).length;
}

for (const [entry, most] of entries) {
  Deno.test(`${entry} for browsers has no Deno, no node: module and less than ${most} KB gzipped`, async () => {
    await withFolder({}, async (folder) => {
      await bundle(entry, `${folder}/entry.js`);
      const text = await Deno.readTextFile(`${folder}/entry.js`);
      assert.deepEqual(text.match(/\bDeno\.\w+|["']node:[\w/]+["']|\brequire\(["']\w+["']\)/g), null);
      const size = await gzippedSize(text);
      assert(size < most * 1000, `${size} bytes`);
    });
  });
}

/** Globals of Deno that a browser's worker lacks, and globals that reach the network. */
const removed = [
  "Deno",
  "process",
  "Buffer",
  "global",
  "setImmediate",
  "clearImmediate",
  "fetch",
  "WebSocket",
];

/** A worker that has no more than a browser's: it loads the library, and answers each review that it is sent. */
const workerSource = (library: string): string => `
  for (const name of ${JSON.stringify(removed)}) delete globalThis[name];
  delete Uint8Array.prototype.toBase64; // older browsers lack it
  const { admissionResponse, evaluate, loadPolicies } = await import(${JSON.stringify(library)});
  const { policies } = loadPolicies(${JSON.stringify(policies)});
  onmessage = async ({ data }) => {
    const left = ${JSON.stringify(removed)}.filter((name) => name in globalThis);
    postMessage({ left, response: admissionResponse(await evaluate(policies, data)) });
  };
  postMessage("ready");
`;

function nextMessage(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
}

Deno.test("the bundle decides a review in a worker with a browser's globals only", async () => {
  await withFolder({}, async (folder) => {
    await bundle("mod.ts", `${folder}/postern.js`);
    const source = workerSource(pathToFileURL(`${folder}/postern.js`).href);
    await Deno.writeTextFile(`${folder}/worker.js`, source);
    const worker = new Worker(pathToFileURL(`${folder}/worker.js`), { type: "module" });
    try {
      assert.equal(await nextMessage(worker), "ready");
      worker.postMessage(admissionReview());
      const refused = await nextMessage(worker) as Answered;
      assert.deepEqual(refused.left, []);
      assert.equal(refused.response.allowed, false);
      assert.match(refused.response.status!.message, /the label team is required/);
      worker.postMessage(admissionReview({ object: pod({ labels: { team: "a" } }) }));
      const allowed = await nextMessage(worker) as Answered;
      assert.equal(allowed.response.allowed, true);
      assert.match(atob(allowed.response.patch!), /2567a5ec9705eb7ac2c984033e06189d/);
    } finally {
      worker.terminate();
    }
  });
});

interface Answered {
  readonly left: readonly string[];
  readonly response: {
    readonly allowed: boolean;
    readonly patch?: string;
    readonly status?: { readonly message: string };
  };
}
