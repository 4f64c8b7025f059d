/** One table of requests: a bundle for each platform gives the same answers on the real runtime. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../lib/cli/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { until } from "../e2e/waiting.ts";
import { admissionReview, pod } from "../server/review.ts";
import { type ApiServer, apiServer } from "./api_server.ts";
import { denoRuntime } from "./deno_runtime.ts";
import { lambdaRuntime } from "./lambda_runtime.ts";
import { nodeRuntime } from "./node_runtime.ts";
import { policies } from "./policies.ts";
import type { RunningBundle, Runtime } from "./running_bundle.ts";
import { workerdRuntime } from "./workerd_runtime.ts";
import { withFolder } from "../support/folder.ts";

const runtimes: readonly Runtime[] = [denoRuntime, workerdRuntime, nodeRuntime, lambdaRuntime];

interface Row {
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Json;
  readonly status: number;
  readonly answer: RegExp;
}

const labelled = admissionReview({ object: pod({ labels: { team: "a" } }) });
const complete = admissionReview({ object: pod({ labels: { team: "a", digest: "b" } }) });
const long = admissionReview({
  kind: "Service",
  resource: "services",
  object: {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { items: [...Array.from({ length: 20_000 }, (_, index) => `item ${index}`), "forbidden"] },
  },
});
const rows: readonly Row[] = [
  { what: "is ready", method: "GET", path: "/health/readiness", status: 200, answer: /^ok$/ },
  {
    what: "denies with the policy's message",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: admissionReview(),
    status: 200,
    answer: /"allowed":false.*the label team is required/,
  },
  {
    what: "allows what no policy forbids",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: complete,
    status: 200,
    answer: /"allowed":true/,
  },
  {
    what: "mutates",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/mutate/fail",
    body: labelled,
    status: 200,
    answer: /"allowed":true,"patch":"W3sib3AiO/,
  },
  {
    what: "looks up a ConfigMap in the cluster",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: admissionReview({ kind: "ConfigMap", resource: "configmaps" }),
    status: 200,
    answer: /"allowed":false.*no limits/,
  },
  {
    what: "denies by a pattern with an anchor",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: admissionReview({
      kind: "Secret",
      resource: "secrets",
      object: { apiVersion: "v1", kind: "Secret", metadata: { name: "web" }, type: "Opaque", data: {} },
    }),
    status: 200,
    answer: /"allowed":false.*a key is required/,
  },
  ...["denies after a long evaluation", "denies after another long evaluation"].map((what): Row => ({
    what,
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: long,
    status: 200,
    answer: /"allowed":false.*an item is forbidden/,
  })),
  {
    what: "refuses what is no review",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: { kind: "Pod" },
    status: 400,
    answer: /kind must be AdmissionReview/,
  },
  {
    what: "serves nothing beside the secret path",
    method: "POST",
    path: "/validate/fail",
    body: labelled,
    status: 404,
    answer: /nothing is served/,
  },
];

const limits: Json = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "limits", namespace: "default" },
  data: { most: "0" },
};
const namespace: Json = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "web", uid: "namespace-1" },
};

/** The behaviour that held on each runtime, row by row of the table in docs/edge.md. */
const held = new Map<string, Set<string>>();

/** Notes that a row of the table holds. */
function holds(target: string, what: string): void {
  held.set(what, (held.get(what) ?? new Set()).add(target));
}

const runtimesHere: string[] = [];
for (const runtime of runtimes) {
  const { target } = runtime;
  const ignore = !await runtime.isHere();
  if (!ignore) runtimesHere.push(target);
  Deno.test({ name: `a bundle for ${target} answers on its runtime`, ignore }, async (t) => {
    const api = apiServer([limits, namespace]);
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    try {
      const file = await bundled(target, folder);
      const settings = { POSTERN_SECRET_PATH: "/s3cret-4f1f8c02a6d3e95b7c", POSTERN_API_SERVER: api.address };
      await using running = await runtime.serve({ file, folder, settings });
      const step = (what: string, hold: () => Promise<void>): Promise<boolean> =>
        t.step(what, async () => {
          await hold();
          holds(target, what);
        });
      for (const row of rows) await step(row.what, async () => await check(running, row));
      await step("logs what audit rules found, and not the secret path", async () => {
        await until(() => Promise.resolve(/"message":"audit".*reports-only/.test(running.log())));
        assert.doesNotMatch(running.log(), /s3cret/);
      });
      await step(
        target === "lambda" ? "says that it generates nothing" : "generates after the answer",
        async () => await checkGenerated({ target, running, api }),
      );
    } finally {
      await api.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test({
  name: "docs/edge.md has the table of features by runtime",
  ignore: runtimesHere.length < runtimes.length,
  fn() {
    // With a filter that leaves out the tests above there is nothing to write down.
    if (held.size === 0) return;
    const page = fileURLToPath(new URL("../../docs/edge.md", import.meta.url));
    const text = Deno.readTextFileSync(page);
    const names = runtimes.map(({ target }) => target);
    const lines = [...held].map(([what, on]) =>
      `| ${what} | ${names.map((name) => on.has(name) ? "yes" : "no").join(" | ")} |`
    );
    const table = [
      `| | ${names.map((name) => `\`${name}\``).join(" | ")} |`,
      `|${" --- |".repeat(names.length + 1)}`,
      ...lines,
    ].join("\n");
    const written = text.replace(/(<!-- requests -->)[^]*(<!-- \/requests -->)/, `$1\n\n${table}\n\n$2`);
    if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(page, written);
    else assert.deepEqual(rowsOf(text), rowsOf(written));
  },
});

/** The cells of the tables of a text, however wide its columns are. */
function rowsOf(text: string): string[][] {
  return text.split("\n").filter((line) => /^\|(?! ?-)/.test(line)).map((line) =>
    line.split("|").map((cell) => cell.trim())
  );
}

Deno.test("a bundle contains the engine, and no commands, sources, installation or unused verification", async () => {
  await withFolder({}, async (folder) => {
    const text = await Deno.readTextFile(await bundled("deno", folder, { minify: false }));
    const folders = new Set([...text.matchAll(/^\/\/ .*\blib\/(\w+)\//gm)].map(([, name]) => name!));
    assert(folders.has("engine"), "the bundle names its files");
    const unwanted = [
      "cli",
      "host",
      "install",
      "live",
      "sources",
      "apply",
      "testing",
      "listener",
      "simulation",
    ];
    assert.deepEqual(unwanted.filter((name) => folders.has(name)), []);
    // No policy of this bundle looks at images.
    assert.doesNotMatch(text, /^\/\/ .*@sigstore/m);
  });
});

Deno.test("a bundle for node calls no methods that Node.js 20 lacks", async () => {
  await withFolder({}, async (folder) => {
    const text = await Deno.readTextFile(await bundled("node", folder, { minify: false }));
    const ofIterators =
      /\.(?:values|keys|entries)\(\)\.(?:map|filter|some|every|find|reduce|toArray|take|drop|flatMap|forEach)\(/g;
    assert.deepEqual(text.match(ofIterators), null);
    assert.deepEqual(text.match(/Promise\.(?:withResolvers|try)|fromAsync|\.union\(/g), null);
  });
});

async function bundled(target: string, folder: string, { minify = true } = {}): Promise<string> {
  await Deno.writeTextFile(join(folder, "policy.yaml"), policies);
  const file = join(folder, "postern.mjs"), said: string[] = [];
  const terminal = {
    out: (line: string) => void said.push(line),
    err: (line: string) => void said.push(line),
  };
  const args = [
    "--policies",
    join(folder, "policy.yaml"),
    "--out",
    file,
    "--target",
    target,
    ...(minify ? ["--minify"] : []),
  ];
  assert.equal(await run(["bundle", ...args], terminal), 0, said.join("\n"));
  if (minify) assert((await Deno.stat(file)).size < 1_200_000, "the file is larger than 1.2 MB");
  return file;
}

async function check({ address }: RunningBundle, row: Row): Promise<void> {
  const response = await fetch(address + row.path, {
    method: row.method,
    headers: { "content-type": "application/json" },
    ...(row.body !== undefined && { body: JSON.stringify(row.body) }),
  });
  const text = await response.text();
  assert.equal(response.status, row.status, text);
  assert.match(text, row.answer);
}

async function checkGenerated(
  { target, running, api }: { target: string; running: RunningBundle; api: ApiServer },
): Promise<void> {
  const review = admissionReview({
    kind: "Namespace",
    resource: "namespaces",
    namespace: "web",
    object: namespace,
  });
  await check(running, {
    what: "",
    method: "POST",
    path: "/s3cret-4f1f8c02a6d3e95b7c/validate/fail",
    body: review,
    status: 200,
    answer: /"allowed":true/,
  });
  const path = "/api/v1/namespaces/web/configmaps/defaults";
  const isThere = async (): Promise<boolean> => (await api.cluster.call({ method: "GET", path })).ok;
  if (target === "lambda") {
    assert.match(running.log(), /generates: lambda runs nothing after an answer/);
    assert.equal(await isThere(), false);
  } else await until(isThere);
}
