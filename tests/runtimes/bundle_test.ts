/** One table of requests: a bundle for each platform gives the same answers on the real runtime. */
import assert from "node:assert/strict";
import { join } from "node:path";
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
const rows: readonly Row[] = [
  { what: "is ready", method: "GET", path: "/health/readiness", status: 200, answer: /^ok$/ },
  {
    what: "denies with the policy's message",
    method: "POST",
    path: "/s3cret/validate/fail",
    body: admissionReview(),
    status: 200,
    answer: /"allowed":false.*the label team is required/,
  },
  {
    what: "allows what no policy forbids",
    method: "POST",
    path: "/s3cret/validate/fail",
    body: complete,
    status: 200,
    answer: /"allowed":true/,
  },
  {
    what: "mutates",
    method: "POST",
    path: "/s3cret/mutate/fail",
    body: labelled,
    status: 200,
    answer: /"allowed":true,"patch":"W3sib3AiO/,
  },
  {
    what: "looks up a ConfigMap in the cluster",
    method: "POST",
    path: "/s3cret/validate/fail",
    body: admissionReview({ kind: "ConfigMap", resource: "configmaps" }),
    status: 200,
    answer: /"allowed":false.*no limits/,
  },
  {
    what: "refuses what is no review",
    method: "POST",
    path: "/s3cret/validate/fail",
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

for (const runtime of runtimes) {
  const { target } = runtime;
  const ignore = !await runtime.isHere();
  Deno.test({ name: `a bundle for ${target} answers on the runtime`, ignore }, async (t) => {
    const api = apiServer([limits, namespace]);
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    try {
      const file = await bundled(target, folder);
      const settings = { POSTERN_SECRET_PATH: "/s3cret", POSTERN_API_SERVER: api.address };
      await using running = await runtime.serve({ file, folder, settings });
      for (const row of rows) await t.step(row.what, async () => await check(running, row));
      await t.step("logs what audit rules found, and not the secret path", async () => {
        await until(() => Promise.resolve(/"message":"audit".*reports-only/.test(running.log())));
        assert.doesNotMatch(running.log(), /s3cret/);
      });
      await t.step(
        target === "lambda" ? "says that it generates nothing" : "generates after the answer",
        async () => await checkGenerated({ target, running, api }),
      );
    } finally {
      await api.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

async function bundled(target: string, folder: string): Promise<string> {
  await Deno.writeTextFile(join(folder, "policy.yaml"), policies);
  const file = join(folder, "postern.mjs"), said: string[] = [];
  const terminal = {
    out: (line: string) => void said.push(line),
    err: (line: string) => void said.push(line),
  };
  const args = ["--policies", join(folder, "policy.yaml"), "--out", file, "--target", target, "--minify"];
  assert.equal(await run(["bundle", ...args], terminal), 0, said.join("\n"));
  assert((await Deno.stat(file)).size < 1_200_000, "the file is larger than 1.2 MB");
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
    path: "/s3cret/validate/fail",
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
