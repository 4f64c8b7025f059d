/** Certificates: made, kept, renewed, given, and used for TLS. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { givenCertificates, madeCertificates, type ServingCertificate } from "../../lib/certificates/mod.ts";
import { fixedClock } from "../adapters/fakes.ts";
import { withFolder } from "../support/folder.ts";

const dayMs = 86_400_000;
const names = ["postern.postern.svc", "localhost", "127.0.0.1", "::1"];

async function certificateOf(
  from: { current(): Promise<{ certificate: ServingCertificate | undefined; problem?: string }> },
): Promise<ServingCertificate> {
  const { certificate, problem } = await from.current();
  assert.equal(problem, undefined);
  assert.ok(certificate !== undefined);
  return certificate;
}

const authoritiesOf = ({ caBundle }: ServingCertificate) =>
  atob(caBundle ?? "").match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];

Deno.test("an issued certificate has its names and is signed by the authority in the bundle", async () => {
  const clock = fixedClock();
  const made = await certificateOf(madeCertificates({ names, clock }));
  const leaf = new X509Certificate(made.cert), authority = new X509Certificate(authoritiesOf(made)[0]!);
  assert.ok(leaf.verify(authority.publicKey) && leaf.checkIssued(authority));
  assert.deepEqual([leaf.ca, authority.ca], [false, true]);
  assert.deepEqual(made.names.slice(0, 3), names.slice(0, 3));
  assert.equal(leaf.checkHost("postern.postern.svc"), "postern.postern.svc");
  assert.deepEqual([made.notBefore < clock.now(), made.notAfter > clock.now() + 300 * dayMs], [true, true]);
  assert.match(made.key, /^-----BEGIN PRIVATE KEY-----\n/);
});

Deno.test("a TLS client that trusts the bundle accepts an issued certificate", async () => {
  const made = await certificateOf(
    madeCertificates({ names: ["localhost", "127.0.0.1"], clock: { now: Date.now } }),
  );
  const stop = new AbortController();
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      cert: made.cert,
      key: made.key,
      onListen() {},
      signal: stop.signal,
    },
    () => new Response("safe"),
  );
  const client = Deno.createHttpClient({ caCerts: [atob(made.caBundle ?? "")] });
  try {
    for (const host of ["localhost", "127.0.0.1"]) {
      const response = await fetch(`https://${host}:${server.addr.port}/`, { client });
      assert.equal(await response.text(), "safe");
    }
    await assert.rejects(fetch(`https://127.0.0.1:${server.addr.port}/`));
  } finally {
    client.close();
    stop.abort();
    await server.finished;
  }
});

Deno.test("without a folder a certificate is replaced when it is due, and its authority stays longer", async () => {
  const clock = fixedClock(), source = madeCertificates({ names, clock });
  const [first, same] = await Promise.all([certificateOf(source), certificateOf(source)]);
  assert.equal(first.cert, same.cert);
  clock.advance(200 * dayMs);
  assert.equal((await certificateOf(source)).cert, first.cert);
  clock.advance(50 * dayMs);
  const renewed = await certificateOf(source);
  assert.notEqual(renewed.cert, first.cert);
  assert.equal(renewed.caBundle, first.caBundle);
});

Deno.test("an authority that is due gets a successor, and the bundle has both until the former ends", async () => {
  await withFolder({}, async (folder) => {
    const clock = fixedClock();
    const first = await certificateOf(madeCertificates({ names, clock, folder }));
    clock.advance(2500 * dayMs);
    const second = await certificateOf(madeCertificates({ names, clock, folder }));
    assert.equal(authoritiesOf(second).length, 2);
    assert.equal(authoritiesOf(second)[1], authoritiesOf(first)[0]);
    const successor = new X509Certificate(authoritiesOf(second)[0]!);
    assert.ok(new X509Certificate(second.cert).verify(successor.publicKey));
    clock.advance(1200 * dayMs);
    assert.equal(authoritiesOf(await certificateOf(madeCertificates({ names, clock, folder }))).length, 1);
  });
});

Deno.test("a folder keeps authority and certificate for the next start, keys for the owner alone", async () => {
  await withFolder({}, async (folder) => {
    const inner = `${folder}/tls`, clock = fixedClock();
    const first = await certificateOf(madeCertificates({ names, clock, folder: inner }));
    const again = await certificateOf(madeCertificates({ names, clock, folder: inner }));
    assert.deepEqual([again.cert, again.key, again.caBundle], [first.cert, first.key, first.caBundle]);
    const files = [...Deno.readDirSync(inner)].map(({ name }) => name).sort();
    assert.deepEqual(files, ["ca.crt", "ca.key", "tls.crt", "tls.key"]);
    for (const name of ["ca.key", "tls.key"]) {
      assert.equal(((await Deno.stat(`${inner}/${name}`)).mode ?? 0) & 0o777, 0o600);
    }
  });
});

Deno.test("another name or a broken certificate leads to a new certificate of the same authority", async () => {
  await withFolder({}, async (folder) => {
    const clock = fixedClock();
    const first = await certificateOf(madeCertificates({ names: ["a.example"], clock, folder }));
    const wider = await certificateOf(madeCertificates({ names: ["a.example", "b.example"], clock, folder }));
    assert.notEqual(wider.cert, first.cert);
    await Deno.writeTextFile(`${folder}/tls.crt`, "broken");
    const mended = await certificateOf(madeCertificates({ names: ["a.example"], clock, folder }));
    assert.deepEqual(mended.names, ["a.example"]);
    assert.equal(mended.caBundle, first.caBundle);
  });
});

for (
  const [file, text, said] of [
    ["ca.crt", "broken", /ca\.crt: no PEM certificate; put it right, or delete /],
    ["ca.key", "broken", /ca\.key: not the key of ca\.crt; put it right, or delete /],
  ] as const
) {
  Deno.test(`a broken ${file} is reported and not overwritten`, async () => {
    await withFolder({}, async (folder) => {
      const clock = fixedClock();
      await certificateOf(madeCertificates({ names, clock, folder }));
      await Deno.writeTextFile(`${folder}/${file}`, text);
      const { certificate, problem } = await madeCertificates({ names, clock, folder }).current();
      assert.equal(certificate, undefined);
      assert.match(problem ?? "", said);
      assert.equal(await Deno.readTextFile(`${folder}/${file}`), text);
    });
  });
}

Deno.test("a folder that breaks later leaves the current certificate in use", async () => {
  await withFolder({}, async (folder) => {
    const clock = fixedClock(), source = madeCertificates({ names, clock, folder });
    const first = await certificateOf(source);
    await Deno.writeTextFile(`${folder}/ca.crt`, "broken");
    clock.advance(300 * dayMs);
    const { certificate, problem } = await source.current();
    assert.equal(certificate?.cert, first.cert);
    assert.match(problem ?? "", /no PEM certificate/);
  });
});

Deno.test("given files: each mistake is reported, and a bad file never replaces a good one", async () => {
  const clock = fixedClock();
  const one = await certificateOf(madeCertificates({ names: ["a.example"], clock }));
  const two = await certificateOf(madeCertificates({ names: ["a.example"], clock }));
  const files: { [name: string]: string } = { crt: one.cert, key: one.key };
  const given = givenCertificates({
    certFile: "crt",
    keyFile: "key",
    clock,
    readText: (path) => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Deno.errors.NotFound("gone")) : Promise.resolve(text);
    },
  });
  assert.equal((await certificateOf(given)).caBundle, undefined);

  const table: [cert: string | undefined, key: string | undefined, problem: string][] = [
    [undefined, one.key, "crt: there is no such file"],
    ["nonsense", one.key, "crt, key: the certificate is no PEM certificate"],
    [one.cert, "nonsense", "crt, key: the key is no PEM private key"],
    [one.cert, two.key, "crt, key: the key is not that of the certificate"],
    [
      one.cert,
      "-----BEGIN ENCRYPTED PRIVATE KEY-----",
      "crt, key: the key is encrypted; give it without a passphrase",
    ],
  ];
  for (const [cert, key, problem] of table) {
    for (const [name, text] of [["crt", cert], ["key", key]] as const) {
      if (text === undefined) delete files[name];
      else files[name] = text;
    }
    const reading = await given.current();
    assert.deepEqual([reading.certificate?.cert, reading.problem], [one.cert, problem]);
  }
  Object.assign(files, { crt: two.cert, key: two.key });
  assert.equal((await certificateOf(given)).cert, two.cert);

  clock.advance(400 * dayMs);
  assert.match((await given.current()).problem ?? "", /^crt: the certificate expired at 2027-/);
});

Deno.test("given files: without any valid version there is no certificate", async () => {
  const given = givenCertificates({
    certFile: "/no/such.crt",
    keyFile: "/no/such.key",
    clock: fixedClock(),
  });
  assert.deepEqual(await given.current(), {
    certificate: undefined,
    problem: "/no/such.crt: there is no such file",
  });
});

Deno.test("given files: a chain that ends in its authority gives the bundle", async () => {
  const clock = fixedClock(), one = await certificateOf(madeCertificates({ names: ["a.example"], clock }));
  const authority = atob(one.caBundle ?? "");
  const texts: { [name: string]: string } = { crt: one.cert + authority, key: one.key };
  const given = givenCertificates({
    certFile: "crt",
    keyFile: "key",
    clock,
    readText: (path) => Promise.resolve(texts[path]!),
  });
  assert.equal(atob((await certificateOf(given)).caBundle ?? "").trim(), authority.trim());
});
