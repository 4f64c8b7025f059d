/** A bundle holds engine and policies, serves them under `deno serve`, and is not made of policies with errors. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { admissionReview, pod } from "../server/review.ts";
import { served } from "./served.ts";

const requireTeam = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: require-team}
spec:
  validationFailureAction: Enforce
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: the label team is required
      pattern: {metadata: {labels: {team: "?*"}}}
`;

const looksUp = requireTeam.replace("require-team", "asks-the-cluster").replace(
  "kinds: [Pod]",
  "kinds: [Service], namespaceSelector: {matchLabels: {a: b}}",
);

/** Bundles a policy text; the exit code, the file and what was said about it. */
async function bundled(
  text: string,
  use: (made: { code: number; out: string; said: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  const said: string[] = [];
  const terminal = {
    out: (line: string) => void said.push(line),
    err: (line: string) => void said.push(line),
  };
  try {
    const out = `${folder}/postern.js`;
    await Deno.writeTextFile(`${folder}/policy.yaml`, text);
    const code = await run(["bundle", "--policies", `${folder}/policy.yaml`, "--out", out], terminal);
    await use({ code, out, said: said.join("\n") });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function post(address: string, path: string, body: unknown): Promise<Response> {
  return await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

Deno.test("the same policies give the same bytes, minified too, in any temporary folder", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    await Deno.writeTextFile(`${folder}/policy.yaml`, requireTeam);
    await Deno.mkdir(`${folder}/other/deeper`, { recursive: true });
    const bytes = async (out: string, ...flags: string[]): Promise<string> => {
      const main = new URL("../../main.ts", import.meta.url).pathname;
      const args = ["run", "-A", "--no-check", main, "bundle", "--policies", `${folder}/policy.yaml`];
      // In a process of its own, which starts somewhere else and has another folder for what is temporary.
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [...args, "--out", out, ...flags],
        cwd: out === "one.js" ? folder : `${folder}/other`,
        env: { TMPDIR: out === "one.js" ? folder : `${folder}/other/deeper` },
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      return await Deno.readTextFile(out === "one.js" ? `${folder}/one.js` : `${folder}/other/${out}`);
    };
    assert.equal(await bytes("one.js"), await bytes("two.js"));
    assert.equal(await bytes("one.js", "--minify"), await bytes("two.js", "--minify"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a bundle under `deno serve` denies with the policy's message, and needs no permission", async () => {
  await bundled(`${requireTeam}---${looksUp}`, async ({ code, out, said }) => {
    assert.equal(code, 0, said);
    await using server = await served(["serve", "--host", "127.0.0.1", "--port", "0", out]);
    const denied = await (await post(server.address, "/validate/fail", admissionReview())).json();
    assert.equal(denied.response.uid, "review-1");
    assert.equal(denied.response.allowed, false);
    assert.match(denied.response.status.message, /validation error: the label team is required/);
    const named = admissionReview({ object: pod({ labels: { team: "a" } }) });
    assert.equal((await (await post(server.address, "/validate/fail", named)).json()).response.allowed, true);
    assert.match(
      await (await fetch(`${server.address}/metrics`)).text(),
      /kyverno_admission_requests_total\{/,
    );
    const service = admissionReview({ kind: "Service", resource: "services" });
    const unknown = await (await post(server.address, "/validate/fail", service)).json();
    assert.match(unknown.response.status.message, /there is no cluster here/);
  });
});

Deno.test("a bundle leaves the texts of policies as they are", async () => {
  const message = "see /tmp/postern-bundle-1/entry.ts";
  await bundled(requireTeam.replace("the label team is required", message), async ({ out }) => {
    assert.ok((await Deno.readTextFile(out)).includes(message));
  });
});

for (const [path, reason] of [["/", /must begin with/], ["/s3cret", /can be guessed/]] as const) {
  Deno.test(`a bundle with the secret path ${path} answers nobody`, async () => {
    await bundled(requireTeam, async ({ out }) => {
      const options = { env: { POSTERN_SECRET_PATH: path } };
      const args = ["serve", "--allow-env", "--host", "127.0.0.1", "--port", "0", out];
      await using server = await served(args, options);
      for (const target of ["/validate/fail", `${path}/validate/fail`, `${path}validate/fail`]) {
        const answer = await post(server.address, target, admissionReview());
        assert.equal(answer.status, 503);
        assert.match((await answer.json()).message, reason);
      }
    });
  });
}

Deno.test("a bundle answers below POSTERN_SECRET_PATH only", async () => {
  await bundled(requireTeam, async ({ out }) => {
    const path = "/4f1f8c02a6d3e95b7c";
    const options = { env: { POSTERN_SECRET_PATH: path } };
    await using server = await served(
      ["serve", "--allow-env", "--host", "127.0.0.1", "--port", "0", out],
      options,
    );
    const open = await post(server.address, "/validate/fail", admissionReview());
    assert.equal(open.status, 404);
    await open.body?.cancel();
    const hidden = await (await post(server.address, `${path}/validate/fail`, admissionReview())).json();
    assert.equal(hidden.response.allowed, false);
    for (const [base, status] of [["", 404], [path, 200]] as const) {
      const metrics = await fetch(`${server.address}${base}/metrics`);
      await metrics.body?.cancel();
      assert.equal(metrics.status, status, "metrics name policies");
    }
  });
});

const broken: readonly [what: string, text: string, says: RegExp][] = [
  [
    "a policy with an unknown operator",
    requireTeam.replace(/pattern:.*/, "deny: {conditions: {any: [{key: a, operator: Equls, value: b}]}}"),
    /Equals/,
  ],
  ["text that is no YAML", "a: [b", /invalid-yaml/],
];
for (const [what, text, says] of broken) {
  Deno.test(`bundle refuses ${what}`, async () => {
    await bundled(text, async ({ code, out, said }) => {
      assert.equal(code, 1);
      assert.match(said, says);
      await assert.rejects(Deno.stat(out), Deno.errors.NotFound);
    });
  });
}

Deno.test("bundle makes its output folder, and reports a path that it cannot write", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  try {
    await Deno.writeTextFile(`${folder}/policy.yaml`, requireTeam);
    const out = `${folder}/policy.yaml/postern.js`;
    const code = await run(["bundle", "--policies", `${folder}/policy.yaml`, "--out", out], {
      out: say,
      err: say,
    });
    assert.deepEqual([code, said.join("\n")], [
      2,
      `error: cannot write to ${out}: A part of its path is no folder`,
    ]);
    const below = `${folder}/dist/inner/postern.js`;
    assert.equal(
      await run(["bundle", "--policies", `${folder}/policy.yaml`, "--out", below], { out: say, err: say }),
      0,
    );
    assert.match(await Deno.readTextFile(below), /the label team is required/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const written: readonly [target: string, args: readonly string[], file: string, says: RegExp][] = [
  ["workerd", [], "dist/postern.js", /try: npx wrangler dev dist\/postern\.js/],
  ["node", [], "dist/postern.mjs", /^dist\/postern\.mjs: [^\n]*try: node dist\/postern\.mjs$/],
  [
    "lambda",
    [],
    "dist/postern.mjs",
    /zip -j function\.zip dist\/postern\.mjs, with the handler postern\.handler$/,
  ],
  ["lambda", ["--out", "edge.js"], "edge.js", /^warning: edge\.js: [^\n]* CommonJS, .*name it \*\.mjs\n/],
];

for (const [target, args, file, says] of written) {
  const line = ["bundle", "--target", target, ...args];
  Deno.test(`${line.join(" ")} writes a file that the platform reads as a module, or warns`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    try {
      await Deno.mkdir(`${folder}/policies`);
      await Deno.writeTextFile(`${folder}/policies/policy.yaml`, requireTeam);
      const main = new URL("../../main.ts", import.meta.url).pathname;
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", main, ...line],
        cwd: folder,
      }).output();
      const err = new TextDecoder().decode(stderr).trim();
      assert.equal(code, 0, err);
      assert.match(err, says);
      assert((await Deno.stat(`${folder}/${file}`)).isFile);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
