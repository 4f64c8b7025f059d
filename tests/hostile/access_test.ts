/** Who may ask: the secret path, client certificates, and names that are none. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { makeKeyPair } from "../support/key_pairs.ts";
import { postBytes, postHead, RawConnection } from "../support/raw_http.ts";
import { startServer } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce") + `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labelled}
spec:
  rules:
  - name: labels-of-the-namespace
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}]}
    validate: {message: never, deny: {}}
`;
const secret = "/4f1f8c02a6d3e95b7c";
const review = JSON.stringify(admissionReview());

async function post(port: number, path: string, body: string): Promise<{ status: number; text: string }> {
  using connection = await RawConnection.open(port);
  await connection.write(postBytes(path, body));
  return await connection.answer();
}

Deno.test("a server with a secret path answers reviews below it, rejects others unread, and never logs the path", async () => {
  await using server = await startServer({
    policies,
    args: ["--no-tls", "--log-level", "debug"],
    env: { POSTERN_SECRET_PATH: secret },
  });
  assert.equal((await post(server.port, `${secret}/validate/fail`, review)).status, 200);
  assert.equal((await post(server.port, `${secret}/validate/fail`, "no JSON")).status, 417);
  const guessed = `/${"0".repeat(secret.length - 1)}`;
  for (const base of ["", guessed, secret.slice(0, -1), `/${secret}`]) {
    assert.equal((await post(server.port, `${base}/validate/fail`, review)).status, 404, base);
  }
  using unauthenticated = await RawConnection.open(server.port);
  // Five megabytes are announced, and nothing of them has to come.
  await unauthenticated.write(postHead("/validate/fail", 5_000_000));
  assert.equal((await unauthenticated.answer()).status, 404);
  for (const head of ["Content-Length: 5000000", "Transfer-Encoding: chunked"]) {
    using probing = await RawConnection.open(server.port);
    await probing.write(`GET /health/liveness HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    assert.equal(
      (await probing.answer()).status,
      400,
      "bodies of health checks would take the room of reviews",
    );
  }
  const health = await fetch(`http://127.0.0.1:${server.port}/health/readiness`);
  assert.equal(await health.text(), "ok");
  await server.until(/request refused/);
  assert.ok(!server.log().includes(secret.slice(1)), server.log());
});

for (
  const [path, reason] of [["/", /must begin with/], ["secret", /must begin with/], [
    "/short",
    /can be guessed/,
  ]] as const
) {
  Deno.test(`serve refuses a secret path of ${path} on a public address`, async () => {
    const args = ["--no-tls", "--host", "0.0.0.0", "--secret-path", path];
    await assert.rejects(startServer({ policies, args }), reason);
  });
}

Deno.test("a server on every address, as in a container, prints no request to try, and logs its policies' checksum", async () => {
  const shown = async (args: readonly string[]): Promise<string> => {
    const runtime = ["--allow-net=0.0.0.0"];
    await using server = await startServer({ policies, runtime, args: ["--no-tls", ...args] });
    await server.until(/policies in force/);
    const [, checksum] =
      /"message":"policies in force"[^\n]*"checksum":"([0-9a-f]{16})"/.exec(server.log()) ?? [];
    const metrics = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
    assert.ok(metrics.includes(`postern_policies{checksum="${checksum}",state="ready"} 2\n`), metrics);
    return server.log();
  };
  assert.match(await shown([]), /Try it:/);
  assert.doesNotMatch(await shown(["--host", "0.0.0.0", "--secret-path", secret]), /Try it:/);
});

Deno.test("with --client-ca only callers with a certificate may send reviews, and everybody may read health", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-authority-" });
  const authority = await makeKeyPair({ name: "authority", usage: "authority" });
  const apiServer = await makeKeyPair({ name: "apiserver", usage: "client", issuer: authority });
  const otherCaller = await makeKeyPair({ name: "apiserver", usage: "client" });
  const serverPair = await makeKeyPair();
  const files = { ca: authority.cert, cert: serverPair.cert, key: serverPair.key };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
  const at = (name: string) => join(folder, name);
  await using server = await startServer({
    policies,
    args: ["--client-ca", at("ca"), "--tls-cert", at("cert"), "--tls-key", at("key")],
  });
  const headers = { "content-type": "application/json" };
  for (const [caller, status] of [[apiServer, 200], [otherCaller, 403], [undefined, 403]] as const) {
    using client = Deno.createHttpClient({ caCerts: [serverPair.cert], ...caller });
    const url = `https://localhost:${server.port}`;
    const answer = await fetch(`${url}/validate/fail`, { method: "POST", headers, body: review, client });
    await answer.text();
    assert.equal(answer.status, status);
    const health = await fetch(`${url}/health/liveness`, { client });
    assert.equal(await health.text(), "ok");
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a lone surrogate in a namespace is answered with 417, whatever the policies look up", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const body = JSON.stringify(admissionReview({ namespace: "team-\ud800" }));
  const { status, text } = await post(server.port, "/validate/fail", body);
  assert.equal(status, 417);
  assert.match(text, /a text that is not well-formed Unicode/);
  assert.equal((await post(server.port, "/validate/fail", review)).status, 200);
});
