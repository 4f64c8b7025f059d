/** The command line as a process: pipes, full disks, Ctrl-C, where paths start, git. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { bad, good, policy } from "./team_policies.ts";

const main = join(import.meta.dirname!, "..", "..", "main.ts");
const postern = `deno run -A ${main}`;

async function withFiles(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function shell(script: string, cwd: string): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    // The task that runs this test stands somewhere else than the user of the test.
    args: ["-c", `unset INIT_CWD; ${script}`],
    cwd,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

const many = { "policy.yaml": policy, "pods.yaml": Array.from({ length: 3_000 }, () => bad).join("---\n") };

Deno.test("a closed pipe ends the command without a message", () =>
  withFiles(many, async (folder) => {
    const { err, out } = await shell(
      `${postern} apply policy.yaml -r pods.yaml | head -2; echo "code \${PIPESTATUS[0]}"`,
      folder,
    );
    assert.match(out, /code 141\n$/);
    assert.equal(err, "");
  }));

Deno.test("a full disk ends the command with a reason and without a stack trace", () =>
  withFiles({ "policy.yaml": policy, "pod.yaml": bad }, async (folder) => {
    const { code, err } = await shell(`${postern} apply policy.yaml -r pod.yaml > /dev/full`, folder);
    assert.match(err, /^error: cannot write: No space left on device.*\n$/);
    assert.equal(code, 2);
  }));

Deno.test("a report that a full disk cuts off ends the command with the file and the reason", () =>
  withFiles({ "policy.yaml": policy, "pod.yaml": bad }, async (folder) => {
    const { code, err } = await shell(
      `${postern} apply policy.yaml -r pod.yaml -o sarif=/dev/full`,
      folder,
    );
    assert.match(err, /^error: cannot write to \/dev\/full: No space left on device\n$/);
    assert.equal(code, 2);
  }));

Deno.test("/dev/stdin and /dev/fd/0 are standard input, without a permission for them", () =>
  withFiles({ "policy.yaml": policy, "pod.yaml": good, "query.txt": "kind" }, async (folder) => {
    const limited = `deno run --allow-read --allow-env ${main}`;
    for (const path of ["/dev/stdin", "/dev/fd/0"]) {
      const apply = await shell(`cat pod.yaml | ${limited} apply policy.yaml --resource=${path}`, folder);
      assert.match(apply.out, /pass: 1, fail: 0/, apply.err);
      const query = await shell(`cat pod.yaml | ${limited} jp query -i ${path} -u kind`, folder);
      assert.equal(query.out, "# kind\nPod\n", query.err);
    }
    const parse = await shell(`cat query.txt | ${limited} jp parse -f /dev/stdin`, folder);
    assert.equal(parse.code, 0, parse.err);
  }));

Deno.test("apply reads policies or resources from standard input as a stream", () =>
  withFiles({ "policy.yaml": policy, "pod.yaml": good }, async (folder) => {
    const resources = await shell(`cat pod.yaml | ${postern} apply policy.yaml -r -`, folder);
    assert.match(resources.out, /pass: 1, fail: 0/);
    const policies = await shell(`cat policy.yaml | ${postern} apply - -r pod.yaml`, folder);
    assert.match(policies.out, /pass: 1, fail: 0/);
  }));

Deno.test("Ctrl-C prints the summary so far and ends with 130", () =>
  withFiles({ "policy.yaml": policy }, async (folder) => {
    const process = new Deno.Command("deno", {
      args: ["run", "-A", main, "apply", "policy.yaml", "-r", "-"],
      cwd: folder,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const writer = process.stdin.getWriter();
    const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let out = "";
    // More than is read before the first line is printed; then nothing more comes, nor an end.
    await writer.write(
      new TextEncoder().encode(`${Array.from({ length: 1_500 }, () => bad).join("---\n")}---\n`),
    );
    while (!out.includes("failed:")) out += (await reader.read()).value ?? "";
    process.kill("SIGINT");
    for (let next = await reader.read(); !next.done; next = await reader.read()) out += next.value;
    const { code } = await process.status;
    await writer.close().catch(() => {});
    assert.match(out, /\npass: 0, fail: \d+, warn: 0, error: 0, skip: 0 \n$/);
    assert.equal(code, 130);
  }));

Deno.test("commands read policies and tests from a git repository, by branch and folder", () =>
  withFiles({}, async (folder) => {
    const test = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [policy.yaml]
resources: [pod.yaml]
results: [{ policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }]
`;
    const made = await shell(
      `set -e; export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q -b main work; cd work; mkdir pods
cat > pods/policy.yaml <<'END'\n${policy}END
cat > pods/pod.yaml <<'END'\n${good}END
cat > pods/kyverno-test.yaml <<'END'\n${test}END
git add .; git -c user.name=a -c user.email=a@b commit -qm one
git checkout -q -b strict; sed -i 's/label team/label TEAM/' pods/policy.yaml
git -c user.name=a -c user.email=a@b commit -qam two
git checkout -q -b broken; sed -i 's/policy: require-team/policy: require-taem/' pods/kyverno-test.yaml
git -c user.name=a -c user.email=a@b commit -qam three; cd ..
git clone -q --bare work policies.git`,
      folder,
    );
    assert.equal(made.code, 0, made.err);
    await Deno.writeTextFile(join(folder, "bad.yaml"), bad);
    const address = `file://${folder}/policies.git`;
    const main = await shell(`${postern} apply ${address}/pods/policy.yaml -b main -r bad.yaml`, folder);
    assert.match(main.out, /The label team is required/, main.err);
    const strict = await shell(`${postern} apply ${address}/strict -r bad.yaml`, folder);
    assert.match(strict.out, /The label TEAM is required/, strict.err);
    const tested = await shell(`${postern} test ${address}/pods -b main`, folder);
    assert.match(tested.out, /1 tests passed and 0 tests failed/, tested.err);
    assert.match(
      tested.out,
      /Loading test team \( file:\/\/[^ ]*\/policies\.git\/pods\/kyverno-test\.yaml \)/,
    );
    const sarif = await shell(`${postern} test ${address}/pods -b broken -o sarif`, folder);
    assert.match(sarif.out, /"uri": "file:\/\/[^ ]*\/policies\.git\/pods\/kyverno-test\.yaml"/);
    assert.match(
      sarif.err,
      /file:\/\/[^ ]*\/policies\.git\/pods\/kyverno-test\.yaml:\d+:\d+: warning unknown-policy/,
    );
    assert.doesNotMatch(sarif.out + sarif.err, /postern-git/);
    const missing = await shell(`${postern} apply ${address} -b none -r bad.yaml`, folder);
    assert.match(missing.err, /policies\.git:1:1: error unreadable-address: git clone failed: .*none/s);
    assert.equal(missing.code, 1);
    const outside = await shell(`${postern} apply ${address}/../../etc -b main -r bad.yaml`, folder);
    assert.match(outside.err, /error unreadable-address/);
  }));

Deno.test("files of several tests are read in parallel", () =>
  withFiles({ "policy.yaml": policy, "good.yaml": good }, async (folder) => {
    const test = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [../policy.yaml]
resources: [pod.yaml]
results: [{ policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }]
`;
    // The first test's Pod is written only when the second one's is being read: one after the other, nothing would end.
    const { out } = await shell(
      `mkdir a b; mkfifo a/pod.yaml b/pod.yaml
cat > a/kyverno-test.yaml <<'END'\n${test}END
cp a/kyverno-test.yaml b
timeout 60 bash -c 'exec 3> b/pod.yaml; cat good.yaml > a/pod.yaml; cat good.yaml >&3' &
timeout 60 ${postern} test .; wait`,
      folder,
    );
    assert.match(out, /2 tests passed and 0 tests failed/);
  }));

Deno.test("apply loads policies from an http address and reports its failures", async () => {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      new URL(request.url).pathname === "/policy.yaml"
        ? new Response(policy)
        : new Response("gone", { status: 410 }),
  );
  try {
    const { port } = server.addr;
    await withFiles({ "pod.yaml": good }, async (folder) => {
      const { out } = await shell(
        `${postern} apply http://127.0.0.1:${port}/policy.yaml -r pod.yaml`,
        folder,
      );
      assert.match(out, /pass: 1, fail: 0/);
      const gone = await shell(`${postern} apply http://127.0.0.1:${port}/other.yaml -r pod.yaml`, folder);
      assert.match(gone.err, /other\.yaml:1:1: error unreadable-address: the server answered 410/);
      assert.equal(gone.code, 1);
    });
  } finally {
    await server.shutdown();
  }
});

Deno.test("Ctrl-C ends a command that waits for input", () =>
  withFiles({ "policy.yaml": policy }, async (folder) => {
    const process = new Deno.Command("deno", {
      args: ["run", "-A", main, "apply", "policy.yaml", "-r", "-"],
      cwd: folder,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output = process.output();
    const writer = process.stdin.getWriter();
    // More than a pipe holds: when it is written, the command reads, and so it listens for Ctrl-C.
    await writer.write(new TextEncoder().encode(`${bad}\n${"# a comment\n".repeat(50_000)}`));
    process.kill("SIGINT");
    const { code, stdout } = await output;
    await writer.close().catch(() => {});
    assert.match(new TextDecoder().decode(stdout), /\npass: 0, fail: 0, warn: 0, error: 0, skip: 0 \n$/);
    assert.equal(code, 130);
  }));

const root = join(import.meta.dirname!, "..", "..");

/** How users start Postern: what makes it ready in a folder, and the command then. */
const starts: readonly {
  readonly what: string;
  readonly prepare?: (folder: string) => Promise<Ended>;
  readonly command: (folder: string) => string;
}[] = [
  { what: "deno task postern", command: () => `deno task -q --config ${join(root, "deno.json")} postern` },
  { what: "the script of the checkout", command: () => join(root, "bin", "postern") },
  {
    what: "the README's `deno install`",
    prepare: async (folder) => {
      const readme = await Deno.readTextFile(join(root, "README.md"));
      const line = /^deno install .*$/m.exec(readme)![0];
      return await shell(line.replace("--global", `--global --root ${folder}/installed`), root);
    },
    command: (folder) => `${folder}/installed/bin/postern`,
  },
];
for (const { what, prepare, command } of starts) {
  Deno.test(`${what} runs in the user's folder, with the permissions of apply and bundle`, () =>
    withFiles({ "policy.yaml": policy, "pod.yaml": good }, async (folder) => {
      const prepared = await prepare?.(folder);
      assert.ok(prepared === undefined || prepared.code === 0, prepared?.err);
      const applied = await shell(
        `${command(folder)} apply policy.yaml -r pod.yaml -o sarif=made.sarif`,
        folder,
      );
      assert.match(applied.out, /pass: 1, fail: 0/, applied.err);
      const bundled = await shell(
        `${
          command(folder)
        } bundle --policies policy.yaml --out made.js && test -s made.sarif && wc -l made.js`,
        folder,
      );
      assert.match(bundled.out, /\d+ made\.js\n$/, bundled.err);
      assert.match(await Deno.readTextFile(join(folder, "made.js")), /The label team is required/);
    }));
}

/** Command lines with a file that may not be read, or a folder that may not be written. */
const forbidden: readonly (readonly [line: string, said: string])[] = [
  ["apply closed.yaml -r pod.yaml", "closed.yaml:1:1: error unreadable-file: Reading it is not permitted"],
  ["apply policy.yaml -r closed.yaml", "closed.yaml:1:1: error unreadable-file: Reading it is not permitted"],
  ["apply policy.yaml -r pod.yaml -f closed.yaml", "error: closed.yaml: Reading it is not permitted"],
  ["apply policy.yaml -r pod.yaml -o sarif=x", "error: cannot write to x: Writing it is not permitted"],
  ["test closed.yaml", "closed.yaml:1:1: error unreadable-file: Reading it is not permitted"],
  ["lint closed.yaml", "closed.yaml:1:1: error unreadable-file: Reading it is not permitted"],
  ["fix policy closed.yaml", "closed.yaml:1:1: error unreadable-file: Reading it is not permitted"],
  ["jp query -i closed.yaml a", "Error: failed open file closed.yaml: Reading it is not permitted"],
  ["cel eval -i closed.yaml 1", "error: closed.yaml: Reading it is not permitted"],
  ["create values -g a=b -o x", "error: cannot write to x: Writing it is not permitted"],
  ["docs -o x", "error: cannot write to x: Writing it is not permitted"],
  ["schema -o x", "error: cannot write to x: Writing it is not permitted"],
];
Deno.test("an error names the file that Postern may not read or write", () =>
  withFiles({ "policy.yaml": policy, "pod.yaml": good, "closed.yaml": policy }, async (folder) => {
    // Root may read everything; what Deno denies it refuses to everybody, with the same words.
    const denied =
      `deno run --no-prompt --allow-read --allow-write --allow-env --allow-sys --deny-read=closed.yaml ` +
      `--deny-write=x ${main}`;
    const { out } = await shell(
      forbidden.map(([line]) => `${denied} ${line} 2>&1; echo "--"`).join("\n"),
      folder,
    );
    const said = out.split("--\n");
    for (const [index, [line, expected]] of forbidden.entries()) {
      const text = said[index] ?? "";
      assert.ok(text.includes(`${expected}\n`), `${line}\n${text}`);
      assert.doesNotMatch(text, /\n {4}at |os error/);
    }
  }));
