/** The image's lines do what they say: its build makes one file, and its entry point serves with its permissions. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { admissionReview } from "../server/review.ts";
import { served } from "../cli/served.ts";
import { dirname } from "node:path";
import { makeAppFiles } from "../../release/app_files.ts";
import { parseDockerfile } from "../../release/dockerfile.ts";
import { withFolder } from "../support/folder.ts";

const root = new URL("../../", import.meta.url).pathname;
/** The files that `.dockerignore` sends to the build. */
const sent = new Set(
  [...(await Deno.readTextFile(`${root}.dockerignore`)).matchAll(/^!(.+)$/gm)].map(([, path]) => path),
);
const dockerfile = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-pods}
spec:
  validationFailureAction: Enforce
  rules:
  - name: none
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no pods today, deny: {}}
`;

/** Runs the last line of the first stage that makes the code cache. */
async function makeCodeCache(folder: string): Promise<void> {
  await Deno.remove(`${folder}/engine.cache`);
  const [, line] = dockerfile.build.find(([, text]) =>
    / code_cache\.js$/.test(text) && text.includes("deno run")
  )!;
  const { success } = await new Deno.Command("sh", { args: ["-ec", line], cwd: folder }).output();
  assert.ok(success, line);
}

/** The modules of Node in Deno's cache of compiled modules, which is opened as Deno does where it may not write. */
function compiledModules(folder: string): readonly unknown[] {
  using cache = new DatabaseSync(`${folder}/v8_code_cache_v2`, { readOnly: true });
  cache.exec("PRAGMA journal_mode = WAL; PRAGMA optimize");
  const names = cache.prepare("SELECT specifier FROM codecache WHERE specifier NOT LIKE 'file:%' ORDER BY 1");
  return names.all().map(({ specifier }) => specifier);
}

Deno.test("the entry point grants listed permissions: no writing, no programs, not everything", () => {
  const flags = dockerfile.entrypoint.filter((each) => each.startsWith("-"));
  for (const forbidden of ["-A", "--allow-all", "--allow-read", "--allow-env"]) {
    assert.ok(!flags.includes(forbidden), forbidden);
  }
  assert.ok(!flags.some((flag) => /^--allow-(write|run|ffi|sys|import|hrtime)/.test(flag)), flags.join(" "));
  assert.ok(flags.includes("--no-prompt"));
  assert.notEqual(dockerfile.user.split(":")[0], "");
  assert.notEqual(dockerfile.user.split(":")[0], "0");
});

Deno.test("the build gets every file that it copies", () => {
  const copied = dockerfile.build.flatMap(([name, text]) =>
    name === "COPY" ? text.split(/\s+/).slice(0, -1) : []
  );
  assert.deepEqual(copied.filter((path) => !sent.has(path)), []);
});

Deno.test("the built program starts with its entry point and answers", async () => {
  await withFolder({ "policies/policy.yaml": policy }, async (folder) => {
    const made = await makeAppFiles(folder, { dockerfile, deno: dirname(Deno.execPath()) });
    for (const name of made) assert.ok((await Deno.stat(`${folder}/${name}`)).isFile, name);
    const env = { ...dockerfile.env, DENO_DIR: dockerfile.env["DENO_DIR"]!.replace("/app", folder) };
    const compiled = compiledModules(env.DENO_DIR);
    const code =
      `import { compileEngine } from "${folder}/engine.js"; console.log(compileEngine().cachedDataRejected);`;
    const look = new Deno.Command("deno", {
      args: ["eval", code],
      env,
    });
    assert.equal(
      new TextDecoder().decode((await look.output()).stdout),
      "false\n",
      "V8 takes the code cache",
    );

    const expression = 'gzip.decompress(gzip.compress("packed"))';
    const evaluation = new Deno.Command("deno", {
      args: ["run", "--allow-read", "--allow-env", `${folder}/postern.js`, "cel", "eval", expression],
      env,
    });
    assert.equal(
      new TextDecoder().decode((await evaluation.output()).stdout),
      '"packed"\n',
      "a package that the engine imports at once is loaded with its first call",
    );

    const cache = await Deno.readFile(`${folder}/engine.cache`);
    const called = `${folder}/called_functions.json`;
    assert.ok(JSON.parse(await Deno.readTextFile(called)).length > 1_000, "functions that a start calls");
    await makeCodeCache(folder);
    assert.deepEqual(
      await Deno.readFile(`${folder}/engine.cache`),
      cache,
      "the code cache is the same twice",
    );
    await Deno.remove(called);
    await makeCodeCache(folder);
    const { size } = await Deno.stat(`${folder}/engine.cache`);
    assert.ok(size < cache.length / 2, "the code cache holds the functions that a start calls");
    await Deno.writeFile(`${folder}/engine.cache`, cache);

    const [init, dashes, deno, ...line] = [...dockerfile.entrypoint, ...dockerfile.command];
    assert.deepEqual([init, dashes, deno], ["/tini", "--", "/bin/deno"]);
    // Only paths and ports differ from the image's: its file system is not here, and its ports may be taken.
    const args = line.map((each) =>
      each.replace("/app/", `${folder}/`).replace("=/app,", `=${folder},`).replace(
        /\/policies\b/,
        `${folder}/policies`,
      )
    );
    const here = ["--host", "127.0.0.1", "--port", "0", "--metrics-port", "0"];
    await using server = await served([...args, ...here], { env });
    const ca = /caBundle of its certificate: (\S+)/.exec(await server.until(/caBundle of .*\n/))![1]!;
    using client = Deno.createHttpClient({ caCerts: [atob(ca)] });
    const answer = await fetch(`${server.address}/validate/fail`, {
      client,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(admissionReview()),
    });
    assert.match((await answer.json()).response.status.message, /no-pods:\n {2}none: no pods today/);
    const [, metrics] = /metrics: (\S+)\)/.exec(await server.until(/metrics: /))!;
    const ready = await fetch(new URL("/health/readiness", metrics));
    assert.equal(await ready.text(), "ok");
    assert.doesNotMatch(await server.until(/./), /the main thread answers probes/);
    assert.deepEqual(
      compiledModules(env.DENO_DIR),
      compiled,
      "the image has each module of Node that a start needs in compiled form: Deno, which may write here, adds none",
    );
  });
});
