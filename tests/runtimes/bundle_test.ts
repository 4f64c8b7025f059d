/** One table of requests: a bundle's handler gives the same answers on each runtime that is here. */
import assert from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Json } from "../../lib/json/mod.ts";
import { policies } from "../library/policies.ts";
import { admissionReview, pod } from "../server/review.ts";

interface Row {
  readonly what: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Json;
  readonly status: number;
  readonly answer: RegExp;
}

const labelled = admissionReview({ object: pod({ labels: { team: "a" } }) });
const rows: readonly Row[] = [
  { what: "is ready", method: "GET", path: "/health/readiness", status: 200, answer: /^ok$/ },
  {
    what: "denies with the policy's message",
    method: "POST",
    path: "/validate/fail",
    body: admissionReview(),
    status: 200,
    answer: /"allowed":false.*the label team is required/,
  },
  {
    what: "mutates",
    method: "POST",
    path: "/mutate/fail",
    body: labelled,
    status: 200,
    answer: /"allowed":true,"patch":"W3sib3AiO/,
  },
  {
    what: "says that it reaches no cluster",
    method: "POST",
    path: "/validate/fail",
    body: admissionReview({ kind: "ConfigMap", resource: "configmaps" }),
    status: 200,
    answer: /"allowed":false.*(there is no cluster here|a bundle reaches a cluster on Deno only)/,
  },
  {
    what: "refuses what is no review",
    method: "POST",
    path: "/validate/fail",
    body: { kind: "Pod" },
    status: 400,
    answer: /kind must be AdmissionReview/,
  },
  { what: "serves nothing else", method: "GET", path: "/other", status: 404, answer: /nothing is served/ },
];

/** Sends the requests to a bundle's handler, and prints the answers. */
const driver = (bundle: string): string => `
  const { default: handler } = await import(${JSON.stringify(bundle)});
  const answers = [];
  for (const { method, path, body } of ${JSON.stringify(rows)}) {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await handler.fetch(new Request("http://postern" + path, init));
    answers.push({ status: response.status, text: await response.text() });
  }
  console.log(JSON.stringify(answers));
`;

async function output(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], stdin: "null" })
    .output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function isHere(command: string): Promise<boolean> {
  return await output(command, ["--version"]).then(() => true, () => false);
}

const runtimes: readonly [command: string, args: readonly string[]][] = [["deno", ["run", "-A"]], [
  "node",
  [],
]];
for (const [command, args] of runtimes) {
  const ignore = !await isHere(command);
  Deno.test({ name: `a bundle answers under ${command}`, ignore }, async (t) => {
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    try {
      await Deno.writeTextFile(`${folder}/policy.yaml`, policies);
      const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
      const bundle = ["bundle", "--policies", `${folder}/policy.yaml`, "--out", `${folder}/postern.mjs`];
      await output("deno", ["run", "-A", main, ...bundle]);
      await Deno.writeTextFile(
        `${folder}/driver.mjs`,
        driver(pathToFileURL(`${folder}/postern.mjs`).href),
      );
      const answers = JSON.parse(await output(command, [...args, `${folder}/driver.mjs`]));
      for (const [index, { what, status, answer }] of rows.entries()) {
        await t.step(what, () => {
          assert.equal(answers[index].status, status);
          assert.match(answers[index].text, answer);
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
