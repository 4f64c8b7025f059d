/** Certificates that change while requests come, and certificates that cannot be served. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { makeKeyPair, type TestKeyPair } from "../support/key_pairs.ts";
import { postHead, RawConnection } from "../support/raw_http.ts";
import { eventually, pause, type ServerProcess, startServer } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
const review = JSON.stringify(admissionReview());

interface ServedFiles extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly folder: string;
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
    folder,
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

/** Each puts files in place that cannot be served, in the folder of a served certificate. */
const unservable: Readonly<
  Record<string, { write(folder: string): Promise<unknown>; readonly why: RegExp }>
> = {
  "a certificate that expired": {
    write: async (folder) =>
      await writePair(folder, await makeKeyPair({ notBefore: hoursFromNow(-2), notAfter: hoursFromNow(-1) })),
    why: /the certificate expired at/,
  },
  "a certificate that is not yet valid": {
    write: async (folder) => await writePair(folder, await makeKeyPair({ notBefore: hoursFromNow(1) })),
    why: /the certificate is valid only from/,
  },
  "the key of another certificate": {
    write: async (folder) => {
      const [{ cert }, { key }] = await Promise.all([makeKeyPair(), makeKeyPair()]);
      await writePair(folder, { cert, key });
    },
    why: /the key is not that of the certificate/,
  },
  "a chain with a certificate of garbage": {
    write: async (folder) => {
      const { cert, key } = await makeKeyPair();
      const garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
      await writePair(folder, { cert: `${cert}\n${garbage}`, key });
    },
    why: /the certificate is no PEM certificate/,
  },
  "a key alone": {
    write: async (folder) => {
      const { key } = await makeKeyPair();
      await writePair(folder, { cert: key, key });
    },
    why: /the certificate is no PEM certificate/,
  },
  "empty files": {
    write: (folder) => writePair(folder, { cert: "", key: "" }),
    why: /the certificate is no PEM certificate/,
  },
  "a file of 50 MB": {
    write: (folder) => Deno.writeFile(join(folder, "tls.crt"), new Uint8Array(50_000_000).fill(65)),
    why: /it has more than 262144 bytes/,
  },
  "200 KB of certificates that only begin": {
    write: (folder) =>
      Deno.writeTextFile(join(folder, "tls.crt"), "-----BEGIN CERTIFICATE-----\n".repeat(7_000)),
    why: /the certificate is no PEM certificate/,
  },
  "a folder": {
    write: async (folder) => {
      await Deno.remove(join(folder, "tls.crt"));
      await Deno.mkdir(join(folder, "tls.crt"));
    },
    why: /it is a folder/,
  },
  "a file that never ends": {
    write: async (folder) => {
      await Deno.remove(join(folder, "tls.crt"));
      await Deno.symlink("/dev/zero", join(folder, "tls.crt"));
    },
    why: /it is no regular file/,
  },
};

function hoursFromNow(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}

async function writePair(folder: string, { cert, key }: TestKeyPair): Promise<void> {
  await Deno.writeTextFile(join(folder, "tls.crt"), cert);
  await Deno.writeTextFile(join(folder, "tls.key"), key);
}

Deno.test("files that cannot be served leave the former certificate in place, and the log says why", async (step) => {
  const pair = await makeKeyPair();
  await using served = await serveFiles(pair);
  const { server, folder, replace } = served;
  using client = Deno.createHttpClient({ caCerts: [pair.cert] });
  for (const [what, { write, why }] of Object.entries(unservable)) {
    await step.step(what, async () => {
      const written = server.log().length;
      await write(folder);
      server.signal("SIGHUP");
      await eventually(`the log says why: ${why}`, () => why.test(server.log().slice(written)));
      const signal = AbortSignal.timeout(5_000);
      const answer = await fetch(`https://localhost:${server.port}/health/liveness`, { client, signal });
      assert.equal(await answer.text(), "ok");
      assert.ok((await server.memory()).most < 200, "memory");
      await Deno.remove(join(folder, "tls.crt"), { recursive: true });
      await replace(pair);
    });
  }
  assert.ok(server.running());
});

Deno.test("a certificate whose key comes later is served once both are there, also through links as kubelet makes them", async () => {
  const [first, second, third] = await Promise.all([makeKeyPair(), makeKeyPair(), makeKeyPair()]);
  await using served = await serveFiles(first);
  const { server, folder } = served;
  const isServed = async ({ cert }: TestKeyPair): Promise<boolean> => {
    using client = Deno.createHttpClient({ caCerts: [cert] });
    const answer = await fetch(`https://localhost:${server.port}/health/liveness`, { client }).catch(() =>
      undefined
    );
    return await answer?.text() === "ok";
  };
  await Deno.writeTextFile(join(folder, "tls.crt"), second.cert);
  server.signal("SIGHUP");
  await server.until(/the key is not that of the certificate/);
  assert.ok(await isServed(first));
  await Deno.writeTextFile(join(folder, "tls.key"), second.key);
  server.signal("SIGHUP");
  await eventually("the second is served", () => isServed(second));
  await Deno.mkdir(join(folder, "..later"));
  await writePair(join(folder, "..later"), third);
  await Deno.symlink("..later", join(folder, "..data"));
  for (const name of ["tls.crt", "tls.key"]) {
    await Deno.symlink(join("..data", name), join(folder, "link"));
    await Deno.rename(join(folder, "link"), join(folder, name));
  }
  server.signal("SIGHUP");
  await eventually("the third is served", () => isServed(third));
});

Deno.test("a server does not start with a --client-ca that no certificate could satisfy", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-authority-" });
  const file = join(folder, "ca");
  const good = await makeKeyPair({ usage: "authority" });
  const begin = "-----BEGIN CERTIFICATE-----\nAAAA\n", whole = `${begin}-----END CERTIFICATE-----\n`;
  for (const text of ["", begin, whole, `${good.cert}\n${whole}`]) {
    await Deno.writeTextFile(file, text);
    await assert.rejects(
      async () => {
        await using _server = await startServer({ policies, args: ["--client-ca", file] });
      },
      /error: --client-ca [^\n]*: it holds no PEM certificate/,
      JSON.stringify(text),
    );
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the file of --client-ca is followed: callers of the new authority are accepted, those of the former no longer", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-authority-" });
  const at = (name: string) => join(folder, name);
  const [first, second, pair] = await Promise.all([
    makeKeyPair({ name: "first", usage: "authority" }),
    makeKeyPair({ name: "second", usage: "authority" }),
    makeKeyPair(),
  ]);
  await Deno.writeTextFile(at("ca"), first.cert);
  await writePair(folder, pair);
  const files = ["--client-ca", at("ca"), "--tls-cert", at("tls.crt"), "--tls-key", at("tls.key")];
  await using server = await startServer({ policies, args: files });
  const ofFirst = await makeKeyPair({ usage: "client", issuer: first });
  const ofSecond = await makeKeyPair({ usage: "client", issuer: second });
  const status = async (caller: TestKeyPair): Promise<number> => {
    // As those of API servers, the connections of a new client resume no session.
    using client = Deno.createHttpClient({ caCerts: [pair.cert], ...caller });
    const headers = { "content-type": "application/json" };
    const url = `https://localhost:${server.port}/validate/fail`;
    const answer = await fetch(url, { method: "POST", headers, body: review, client });
    await answer.text();
    return answer.status;
  };
  assert.deepEqual([await status(ofFirst), await status(ofSecond)], [200, 403]);
  await Deno.writeTextFile(at("ca"), "nothing");
  server.signal("SIGHUP");
  await server.until(/the former authority stays: --client-ca [^\n]*: it holds no PEM certificate/);
  assert.deepEqual([await status(ofFirst), await status(ofSecond)], [200, 403]);
  await Deno.writeTextFile(at("ca"), second.cert);
  server.signal("SIGHUP");
  await eventually("the second is accepted", async () => await status(ofSecond) === 200);
  assert.equal(await status(ofFirst), 403);
  await Deno.remove(folder, { recursive: true });
});

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
