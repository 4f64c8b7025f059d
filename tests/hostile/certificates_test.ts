/** Certificates that change while requests come, and certificates that cannot be served. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { makeKeyPair, type TestKeyPair } from "../support/key_pairs.ts";
import { postHead, RawConnection } from "../support/raw_http.ts";
import { pause, type ServerProcess, startServer } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
const review = JSON.stringify(admissionReview());

interface ServedFiles extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Replaces the certificate and has it looked at. */
  replace(pair: TestKeyPair): Promise<void>;
}

async function serveFiles(pair: TestKeyPair): Promise<ServedFiles> {
  const folder = await Deno.makeTempDir({ prefix: "postern-certificates-" });
  const certFile = join(folder, "tls.crt"), keyFile = join(folder, "tls.key");
  const write = async ({ cert, key }: TestKeyPair): Promise<void> => {
    await Deno.writeTextFile(certFile, cert);
    await Deno.writeTextFile(keyFile, key);
  };
  await write(pair);
  const server = await startServer({ policies, args: ["--tls-cert", certFile, "--tls-key", keyFile] });
  return {
    server,
    replace: async (next) => {
      await write(next);
      server.signal("SIGHUP");
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Sends reviews until it is stopped; gives what went wrong. */
async function load(
  port: number,
  caCerts: string[],
  stop: AbortSignal,
): Promise<{ answered: number; failed: string[] }> {
  using client = Deno.createHttpClient({ caCerts });
  const failed: string[] = [];
  let answered = 0;
  const headers = { "content-type": "application/json" };
  while (!stop.aborted) {
    try {
      const options = { method: "POST", headers, body: review, client };
      const answer = await fetch(`https://localhost:${port}/validate/fail`, options);
      const { response } = await answer.json();
      if (response.allowed === true) answered++;
      else failed.push(JSON.stringify(response));
    } catch (error) {
      failed.push(String(error));
    }
    await pause(5);
  }
  return { answered, failed };
}

Deno.test("20 certificates replace each other, under load and beside slow requests, and no request fails", async () => {
  const pairs = await Promise.all(Array.from({ length: 21 }, () => makeKeyPair()));
  await using served = await serveFiles(pairs[0]!);
  const { server, replace } = served;
  const stop = new AbortController();
  const caCerts = pairs.map(({ cert }) => cert);
  const loads = [1, 2, 3].map(() => load(server.port, caCerts, stop.signal));
  // A body that never ends: a port that waits for it would stay closed.
  const slow = new RawConnection(
    await Deno.connectTls({ hostname: "localhost", port: server.port, caCerts }),
  );
  await slow.write(postHead("/validate/fail", 1_000) + review.slice(0, 10));
  const shown = new Set<string>();
  for (const pair of pairs.slice(1)) {
    await replace(pair);
    await pause(150);
    // The next connection sees the new certificate, and only that.
    using client = Deno.createHttpClient({ caCerts: [pair.cert] });
    const answer = await fetch(`https://localhost:${server.port}/health/liveness`, { client }).catch(() =>
      undefined
    );
    if (await answer?.text() === "ok") shown.add(pair.cert);
  }
  stop.abort();
  slow[Symbol.dispose]();
  const results = await Promise.all(loads);
  assert.deepEqual(results.flatMap(({ failed }) => failed), []);
  assert.ok(results.every(({ answered }) => answered > 20), JSON.stringify(results));
  assert.ok(shown.size >= 15, `${shown.size} of 20 new certificates were seen`);
  assert.ok(server.running());
});

for (const name of ["rsa1024", "secp256k1", "ed448"]) {
  Deno.test(`a certificate that the TLS library refuses (${name}) leaves the former in place`, async () => {
    const pair = await makeKeyPair();
    const read = (what: string) =>
      Deno.readTextFile(new URL(`./key_pairs/${name}.${what}.pem`, import.meta.url));
    const refused = { cert: await read("cert"), key: await read("key") };
    await using served = await serveFiles(pair);
    const { server, replace } = served;
    await replace(refused);
    await server.until(/"level":"error"[^\n]*the new certificate cannot be served, the former stays: /);
    using client = Deno.createHttpClient({ caCerts: [pair.cert] });
    for (let index = 0; index < 3; index++) {
      const answer = await fetch(`https://localhost:${server.port}/health/liveness`, { client });
      assert.equal(await answer.text(), "ok");
      await pause(100);
    }
    assert.ok(server.running());
  });

  Deno.test(`a server does not start with a certificate that the TLS library refuses (${name})`, async () => {
    const file = (what: string) => new URL(`./key_pairs/${name}.${what}.pem`, import.meta.url).pathname;
    await assert.rejects(
      startServer({ policies, args: ["--tls-cert", file("cert"), "--tls-key", file("key")] }),
      /the server ended: .*error: /s,
    );
  });
}

Deno.test("callers without TLS, or with an unfinished handshake, do not affect others", async () => {
  await using served = await serveFiles(await makeKeyPair());
  const { server } = served;
  for (
    const text of [
      "GET / HTTP/1.1\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01",
      "",
      "\x16\x03\x01\xff\xff".repeat(1000),
    ]
  ) {
    using connection = await RawConnection.open(server.port);
    await connection.write(text);
  }
  await pause(200);
  assert.ok(server.running());
});
