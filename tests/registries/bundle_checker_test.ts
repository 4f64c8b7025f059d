/** Sigstore bundles are checked on a thread of their own, in the image too, and by this thread where there is none. */
import assert from "node:assert/strict";
import { BundleCheck, type BundleQuery } from "../../lib/registries/signatures/bundle_check.ts";
import { BundleChecker, threadFile } from "../../lib/registries/signatures/bundle_checker.ts";
import { parseDockerfile } from "../../release/dockerfile.ts";
import { output } from "../../release/process.ts";
import { addImageFiles } from "../support/image.ts";
import { loggedBundle, trustedRootOf } from "./signing/bundle.ts";
import { Signers } from "./signing/fixtures.ts";
import { withFolder } from "../support/folder.ts";

const root = new URL("../../", import.meta.url).pathname;
const digest = `sha256:${"a".repeat(64)}`;
const signers = new Signers();
const needs = { log: true, observedTime: false, certificateTimestamp: false };

function bundleQuery(recorded: string): BundleQuery {
  const bundle = loggedBundle(digest, { keys: signers.one, recorded, log: signers.log });
  return { bundle, key: signers.one.spki, trustedRoot: trustedRootOf(signers), needs };
}

/** Bundles a file as the Dockerfile does. */
async function bundled(entry: string, output: string): Promise<void> {
  const args = ["bundle", "--quiet", "--minify", "--format", "cjs", "--output", output, entry];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("the thread of the image returns what the check itself returns", async () => {
  await withFolder({}, async (folder) => {
    const { build, appFiles } = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));
    const used = ["bundle_worker.cjs", "bundle_worker.js", "engine.js", "packages.cjs"];
    assert.deepEqual(used.filter((name) => !appFiles.includes(name)), [], "the image holds them");
    const bundles = build.filter(([, text]) => /--output (?:bundle_worker|packages)\.cjs/.test(text));
    assert.equal(bundles.length, 2);
    for (const [, text] of bundles) {
      await output("sh", ["-ec", text.replace("--output ", `--output ${folder}/`)], { cwd: root });
    }
    await addImageFiles(folder);
    const checker = new BundleChecker(new URL(`file://${folder}/bundle_worker.js`));
    try {
      const good = bundleQuery(signers.one.pem), forged = bundleQuery(signers.two.pem);
      const answers = await Promise.all([checker.check(good), checker.check(forged)]);
      assert.deepEqual(answers, [await new BundleCheck().run(good), await new BundleCheck().run(forged)]);
      assert.deepEqual(answers.map(({ ok }) => ok), [true, false]);
    } finally {
      await checker.close();
    }
  });
});

Deno.test("a program of one file checks bundles on a thread from the file beside it", async () => {
  await withFolder({}, async (folder) => {
    const { key, ...rest } = bundleQuery(signers.one.pem);
    const program = `
      import { BundleChecker } from "${root}lib/registries/signatures/bundle_checker.ts";
      const checker = new BundleChecker();
      const key = Uint8Array.fromBase64("${key?.toBase64()}");
      void checker.check({ ...${JSON.stringify(rest)}, key }).then(({ ok, why }) => {
        console.log(ok ? "checked by the program" : why);
        Deno.exit(0);
      });`;
    await Deno.writeTextFile(`${folder}/main.ts`, program);
    await bundled(`${folder}/main.ts`, `${folder}/engine.cjs`);
    await addImageFiles(folder);
    await Deno.remove(`${folder}/bundle_worker.js`);
    const answer = async (): Promise<string> => {
      const args = ["run", "--no-prompt", `--allow-read=${folder}`, `${folder}/postern.js`];
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
      return new TextDecoder().decode(stdout).trim() || new TextDecoder().decode(stderr);
    };
    assert.equal(await answer(), "checked by the program", "without the file there is no thread");
    await Deno.writeTextFile(
      `${folder}/bundle_worker.js`,
      `import process from "node:process";
       const { parentPort } = process.getBuiltinModule("node:worker_threads");
       parentPort.on("message", ({ id }) =>
         parentPort.postMessage({ id, answer: { ok: false, why: "checked by the thread" } }));`,
    );
    assert.equal(await answer(), "checked by the thread");
  });
});

/** A checker whose thread runs this code. */
async function withThread(
  code: string,
  times: { check: number; start: number },
  run: (checker: BundleChecker) => Promise<void>,
): Promise<void> {
  const program = `import process from "node:process";
    const { parentPort } = process.getBuiltinModule("node:worker_threads");
    ${code}`;
  await withFolder({ "thread.js": program }, async (folder) => {
    const checker = new BundleChecker(new URL(`file://${folder}/thread.js`), times);
    try {
      await run(checker);
    } finally {
      await checker.close();
    }
  });
}

Deno.test("the time that the thread takes to start is no time of a check", async () => {
  const slow = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    parentPort.postMessage({ ready: true });
    parentPort.on("message", ({ id }) => parentPort.postMessage({ id, answer: { ok: true } }));`;
  await withThread(slow, { check: 1_000, start: 60_000 }, async (checker) => {
    assert.deepEqual(await checker.check(bundleQuery(signers.one.pem)), { ok: true });
  });
});

Deno.test("a check that does not end is given up once the thread is ready, and so is a thread that never is", async () => {
  const tooLong = { ok: false, why: "the check took too long" };
  const ready = `parentPort.on("message", () => {}); parentPort.postMessage({ ready: true });`;
  await withThread(ready, { check: 1, start: 60_000 }, async (checker) => {
    assert.deepEqual(await checker.check(bundleQuery(signers.one.pem)), tooLong);
  });
  await withThread(`parentPort.on("message", () => {});`, { check: 60_000, start: 1 }, async (checker) => {
    assert.deepEqual(await checker.check(bundleQuery(signers.one.pem)), tooLong);
  });
});

const runtimes:
  readonly (readonly [what: string, here: string | undefined, program?: string, file?: string])[] = [
    [
      "from source",
      "file:///src/lib/registries/signatures/bundle_checker.ts",
      "file:///src/main.ts",
      "file:///src/lib/registries/signatures/bundle_worker.ts",
    ],
    ["in the image", undefined, "file:///app/postern.js", "file:///app/bundle_worker.js"],
    ["on a platform without files", undefined],
  ];
for (const [what, here, program, file] of runtimes) {
  Deno.test(`the file of the thread's code: ${what}`, () =>
    assert.equal(threadFile(here, program)?.href, file));
}
