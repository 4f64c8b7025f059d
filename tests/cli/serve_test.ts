import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { type ServeArguments, withUsedWebhooks } from "../../lib/cli/serve_arguments.ts";
import { greet } from "../../lib/cli/serve_greeting.ts";
import { serveMessages } from "../../lib/cli/serve_messages.ts";
import type { Gate } from "../../lib/host/mod.ts";
import { admissionReview } from "../server/review.ts";
import { served } from "./served.ts";

/** Starts a gate with an option that names no file, and checks that it says so. */
async function refuses(option: string): Promise<void> {
  const said: string[] = [];
  const path = `${Deno.cwd()}/nowhere-at-all`;
  const terminal = { out: () => {}, err: (line: string) => void said.push(line) };
  assert.equal(await run(["serve", "--policies", "policies", option, path], terminal), 2);
  assert.equal(said.at(-1), `error: ${option} ${path}: there is no such file or folder`);
}

Deno.test("serve ends with code 2 when a path of --policies does not exist", () => refuses("--policies"));

Deno.test("serve ends with code 2 when a path of --cluster-objects does not exist", () =>
  refuses("--cluster-objects"));

Deno.test("serve says once that --webhooks has no effect beside --watch-policies, and what to do", async () => {
  for (const [also, times] of [[["--watch-policies"], 1], [[], 0]] as const) {
    const lines: string[] = [];
    const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
    const options = ["--webhooks", "postern", ...also, "--kubeconfig", `${Deno.cwd()}/nowhere-at-all`];
    assert.equal(await run(["serve", ...options], terminal), 2);
    const said = lines.filter((line) =>
      line.startsWith("--webhooks postern has no effect beside --watch-policies")
    );
    assert.equal(said.length, times, lines.join("\n"));
  }
});

Deno.test("withUsedWebhooks leaves the certificate and the registration without configurations to write", () => {
  const args = { webhooks: "postern" } as ServeArguments;
  assert.equal(withUsedWebhooks({ ...args, watchPolicies: true }).webhooks, undefined);
  assert.equal(withUsedWebhooks(args).webhooks, "postern");
});

Deno.test("serve ends with code 2 when a path of --policies is a link to itself, and names it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-loop-" });
  const path = `${folder}/policies`, lines: string[] = [];
  await Deno.symlink(path, path);
  const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
  assert.equal(await run(["serve", "--policies", path], terminal), 2);
  assert.equal(lines.at(-1), `error: --policies ${path}: a symbolic link leads to itself`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a link to itself inside a folder of policies is reported, and the others are read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-loop-" });
  await Deno.symlink(`${folder}/inner`, `${folder}/inner`);
  const name = "metadata: {name: read}";
  const policy = `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\n${name}\nspec: {rules: []}\n`;
  await Deno.writeTextFile(`${folder}/policy.yaml`, policy);
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  assert.equal(await run(["lint", folder], { out: write, err: write }), 1);
  const text = lines.join("\n");
  assert.ok(
    text.includes(`${folder}/inner:1:1: error unreadable-file: A symbolic link leads to itself`),
    text,
  );
  assert.match(text, /1 policy/);
  await Deno.remove(folder, { recursive: true });
});

const greetings: [where: string, flags: Partial<ServeArguments>, has: RegExp, lacks: RegExp][] = [
  ["on this machine", { host: "127.0.0.1", webhooks: "postern" }, /caBundle of its[^]*Try it:/, /never/],
  ["in a container", { host: "0.0.0.0" }, /caBundle of its/, /Try it:/],
  ["in a pod that writes its webhooks", { host: "0.0.0.0", webhooks: "postern" }, /listens on/, /caBundle/],
  ["in a pod that follows policies", { host: "0.0.0.0", watchPolicies: true }, /listens on/, /caBundle/],
];
for (const [where, flags, has, lacks] of greetings) {
  Deno.test(`serve ${where} prints what somebody there can use`, () => {
    const lines: string[] = [];
    const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
    const gate = { port: 9443, metricsPort: 8000, caBundle: "QQ==", about: "live cluster" } as Gate;
    const args = { tls: true, ...flags } as ServeArguments;
    greet({ args, gate, secretPath: undefined }, serveMessages(terminal, args));
    assert.match(lines.join("\n"), has);
    assert.doesNotMatch(lines.join("\n"), lacks);
  });
}

const words: readonly (readonly [args: readonly string[], said: string])[] = [
  [
    ["--omit-events", "PolicyViolation,Nothing"],
    'error: --omit-events: "Nothing" is none of PolicyViolation, PolicyApplied, PolicyError, PolicySkipped',
  ],
  [
    ["--report-results", "fail,bad"],
    'error: --report-results: "bad" is none of pass, fail, warn, error, skip',
  ],
];
for (const [args, said] of words) {
  Deno.test(`serve ${args.join(" ")} ends with code 2 and lists the accepted values`, async () => {
    const lines: string[] = [];
    const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
    assert.equal(await run(["serve", "--policies", "policies", ...args], terminal), 2);
    assert.equal(lines.at(-1), said);
  });
}

const main = new URL("../../main.ts", import.meta.url).pathname;

/** Fails to be evaluated for Pods, and is used for them as its failurePolicy says. */
const failing = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: failing}
spec:
  rules:
  - name: failing
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: settings, configMap: {name: settings, namespace: default}}]
    validate:
      failureAction: Enforce
      deny: {conditions: {any: [{key: "{{ settings.data.allowed }}", operator: Equals, value: "no"}]}}
`;
/** Denies Pods without any failure. */
const denying = failing.replaceAll("failing", "denying").replace(/ *context: .*\n/, "").replace(
  /deny: .*/,
  "deny: {}",
);

const policies:
  readonly (readonly [policy: string, flags: readonly string[], path: string, allowed: boolean])[] = [
    [failing, [], "fail", false],
    [failing, ["--force-failure-policy-ignore"], "ignore", true],
    [denying, ["--force-failure-policy-ignore"], "ignore", false],
  ];
for (const [policy, flags, path, allowed] of policies) {
  const name = policy === failing ? "cannot be evaluated" : "denies";
  Deno.test(`serve ${flags.join(" ")}: a policy that ${name} ${allowed ? "admits" : "denies"}`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    try {
      await Deno.writeTextFile(`${folder}/policy.yaml`, policy);
      await using server = await served([
        ...["run", "--no-prompt", "--allow-net=127.0.0.1", `--allow-read=${folder}`, "--allow-env", main],
        ...["serve", "--no-tls", "--policies", folder, "--port", "0", "--metrics-port", "0", ...flags],
      ]);
      const answer = await fetch(`${server.address}/validate/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(admissionReview()),
      });
      assert.equal((await answer.json()).response.allowed, allowed);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("every line of a server that answers other machines is JSON, so that a collector of logs can parse it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  await Deno.writeTextFile(
    `${folder}/policy.yaml`,
    denying.replace("deny: {}", "deny: {}\n      unknown: 1"),
  );
  await using server = await served([
    ...["run", "--no-prompt", "--allow-net", `--allow-read=${folder}`, "--allow-env", main],
    ...["serve", "--policies", folder, "--port", "0", "--metrics-port", "0", "--host", "0.0.0.0"],
  ]);
  const written = await server.until(/policies in force[^\n]*\n[^]*listens on[^\n]*\n/);
  const lines = written.trim().split("\n").map((line) => JSON.parse(line));
  const said = (text: string) => lines.find(({ message }) => message.includes(text))?.level;
  const levels = ["unknown-field", "loaded 1 policy: denying", "Postern listens on https://"].map(said);
  assert.deepEqual(levels, ["error", "info", "info"]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a server that answers other machines says in JSON why it cannot start", async () => {
  const lines: string[] = [];
  const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
  assert.equal(await run(["serve", "--policies", "/nowhere-at-all", "--host", "0.0.0.0"], terminal), 2);
  const { level, message } = JSON.parse(lines.at(-1)!);
  assert.equal(level, "error");
  assert.match(message, /nowhere-at-all|no secret/);
});

for (const option of ["--tls-cert", "--tls-key"]) {
  Deno.test(`serve ends with code 2 when ${option} comes alone`, async () => {
    const lines: string[] = [];
    const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
    assert.equal(await run(["serve", "--policies", "policies", option, "file.pem"], terminal), 2);
    assert.equal(lines.at(-1), "error: --tls-cert and --tls-key go together: name both files, or neither");
  });
}

Deno.test("serve says what to do about no policies and about a port that cannot be", async () => {
  const lines: string[] = [];
  const terminal = { out: () => {}, err: (line: string) => void lines.push(line) };
  assert.equal(await run(["serve", "--port", "99999", "--metrics-port", "0"], terminal), 2);
  assert.match(lines.join("\n"), /^loaded no policies from files: name some with --policies/m);
  assert.equal(lines.at(-1), "error: cannot listen on 127.0.0.1:99999: a port is at most 65535");
});
