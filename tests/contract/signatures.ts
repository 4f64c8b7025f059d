/** The contract of every adapter of the port `Signatures`, taken from Kyverno 1.19's answers in the corpus. */
import assert from "node:assert/strict";
import type {
  Identity,
  LogTrust,
  SignatureAnswer,
  SignatureQuery,
  Signatures,
  Signer,
} from "../../lib/ports.ts";
import { noLog, queryByKey } from "../registries/signing/query.ts";

/** Images that a source of fixtures must have, and how they are signed. */
export type ImageName =
  | "signed"
  | "signed by another key"
  | "unsigned"
  | "missing"
  | "payload of another digest"
  | "payload changed"
  | "signature is no base64"
  | "annotated"
  | "logged"
  | "in another log"
  | "log entry forged"
  | "log entry of another key"
  | "keyless"
  | "keyless without certificate timestamp"
  | "keyless from another certificate log"
  | "keyless, logged too late"
  | "keyless, timestamp alone"
  | "keyless, timestamp too late"
  | "certificate of a stranger"
  | "attested"
  | "attested about another image"
  | "attested with a list as predicate"
  | "attested with another payload type"
  | "attested with a bad signature"
  | "bundle"
  | "bundle of another key"
  | "bundle about another image"
  | "notary jws"
  | "notary cose"
  | "notary of another authority"
  | "notary expired"
  | "notary about another image"
  | "notary unsigned"
  | "signed with p384"
  | "signed with rsa"
  | "signed with ed25519"
  | "signed with sha512";

/** Images, keys and certificates; all texts are PEM. */
export interface SignatureFixtures {
  readonly signatures: Signatures;
  readonly images: Readonly<Record<ImageName, string>>;
  readonly keys: Readonly<Record<"one" | "two" | "p384" | "rsa" | "ed25519", string>>;
  /** The roots of short-lived certificates, and their only certificate log. */
  readonly keylessRoot: string;
  readonly ctlogKey: string;
  readonly rekorKey: string;
  readonly tsaChain: string;
  /** The root of the certificates that have long lives; the stranger's is another one. */
  readonly codeRoot: string;
  readonly notaryRoot: string;
  close(): Promise<void>;
}

type QueryChange = (fixtures: SignatureFixtures) => Partial<SignatureQuery>;

interface Trial {
  readonly title: string;
  readonly image: ImageName;
  readonly change: QueryChange;
  /** The message of a refusal, where it has one; a text is compared whole. */
  readonly refused?: string | RegExp;
  /** The types of the statements of an answer. */
  readonly statements?: readonly string[];
}

const provenanceType = "https://slsa.dev/provenance/v0.2";
const badEcdsa = "no matching signatures: invalid signature when validating ASN.1 encoded signature";
const noBundle = "sigstore bundle verification failed: no matching signatures found";
const untrusted =
  /signature verification failed\nfailed to verify signature with digest sha256:[0-9a-f]{64}, the signature's certificate chain does not contain any trusted certificate$/;

function byKey(key: string, hash: "sha224" | "sha256" | "sha384" | "sha512" = "sha256"): Signer {
  return { kind: "key", key, hash };
}

const withKey: QueryChange = ({ keys }) => ({ by: byKey(keys.one) });
const withLog: QueryChange = ({ keys, rekorKey }) => ({
  by: byKey(keys.one),
  log: { ...noLog, ignoreTlog: false, rekorKey },
});

function keyless(
  identity: Partial<Identity> = {},
  { log = {}, more = {} }: {
    readonly log?: Partial<LogTrust> | ((fixtures: SignatureFixtures) => Partial<LogTrust>);
    readonly more?: Partial<Extract<Signer, { kind: "keyless" }>>;
  } = {},
): QueryChange {
  return (fixtures) => {
    const { keylessRoot, rekorKey, ctlogKey } = fixtures;
    const wanted = { issuer: "", issuerRegExp: "", subject: "", subjectRegExp: "", ...identity };
    const chosenLog = typeof log === "function" ? log(fixtures) : log;
    return {
      by: {
        kind: "keyless",
        roots: keylessRoot,
        identities: [wanted],
        compare: "wildcards",
        extensions: {},
        ...more,
      },
      log: { ...noLog, ignoreTlog: false, ignoreSct: false, rekorKey, ctlogKey, ...chosenLog },
    };
  };
}

const timestampAlone = keyless({}, { log: ({ tsaChain }) => ({ ignoreTlog: true, tsaChain }) });

const codeChain: QueryChange = ({ codeRoot }) => ({
  by: { kind: "certificates", certificate: "", chain: codeRoot },
});

function notary(root: (fixtures: SignatureFixtures) => string): QueryChange {
  return (fixtures) => ({
    layout: "notary",
    by: { kind: "certificates", certificate: root(fixtures), chain: "" },
  });
}

const withNotary = notary(({ notaryRoot }) => notaryRoot);
const attested: QueryChange = ({ keys }) => ({ by: byKey(keys.one), want: { attestations: provenanceType } });
const bundled: QueryChange = ({ keys }) => ({ by: byKey(keys.one), layout: "bundle" });

const trials: readonly Trial[] = [
  { title: "a key that signed", image: "signed", change: withKey },
  { title: "a key that did not sign", image: "signed by another key", change: withKey, refused: badEcdsa },
  { title: "no signature", image: "unsigned", change: withKey, refused: "no signatures found" },
  {
    title: "no image",
    image: "missing",
    change: withKey,
    refused: /^image tag not found: GET http:.*\/manifests\/[^:]*: MANIFEST_UNKNOWN: manifest unknown$/,
  },
  {
    title: "a payload with another digest",
    image: "payload of another digest",
    change: withKey,
    refused: /^no matching signatures: invalid or missing digest in claim: sha256:[0-9a-f]{64}$/,
  },
  {
    title: "a payload that was changed after it was signed",
    image: "payload changed",
    change: withKey,
    refused: badEcdsa,
  },
  {
    title: "a signature that is no base64",
    image: "signature is no base64",
    change: withKey,
    refused: /^no matching signatures: illegal base64 data at input byte \d+$/,
  },
  {
    title: "every algorithm: P-384",
    image: "signed with p384",
    change: ({ keys }) => ({ by: byKey(keys.p384) }),
  },
  {
    title: "every algorithm: RSA",
    image: "signed with rsa",
    change: ({ keys }) => ({ by: byKey(keys.rsa) }),
  },
  {
    title: "every algorithm: Ed25519",
    image: "signed with ed25519",
    change: ({ keys }) => ({ by: byKey(keys.ed25519) }),
  },
  {
    title: "every algorithm: SHA-512",
    image: "signed with sha512",
    change: ({ keys }) => ({ by: byKey(keys.one, "sha512") }),
  },
  {
    title: "every algorithm: another hash than the signer's",
    image: "signed with sha512",
    change: withKey,
    refused: badEcdsa,
  },
  {
    title: "every algorithm: an RSA key for an ECDSA signature",
    image: "signed",
    change: ({ keys }) => ({ by: byKey(keys.rsa) }),
    refused: "no matching signatures: crypto/rsa: verification error",
  },
  {
    title: "keys that cannot be read: no PEM",
    image: "signed",
    change: () => ({ by: byKey("not a key") }),
    refused: "failed to load public key from not a key: open not a key: no such file or directory",
  },
  {
    title: "keys that cannot be read: at an address",
    image: "signed",
    change: () => ({ by: byKey("https://acme.test/cosign.pub") }),
    refused:
      "failed to load public key from https://acme.test/cosign.pub: keys are not read from addresses: write the key itself, or k8s://NAMESPACE/NAME for a Secret",
  },
  {
    title: "keys that cannot be read: of a key management service",
    image: "signed",
    change: () => ({ by: byKey("hashivault://release") }),
    refused:
      "failed to load public key from hashivault://release: key management services are not supported: write the key itself, or k8s://NAMESPACE/NAME for a Secret",
  },
  {
    title: "keys that cannot be read: broken PEM",
    image: "signed",
    change: () => ({ by: byKey("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") }),
    refused:
      /^failed to load public key from PEM: pem to public key: asn1: structure error: tags don't match/,
  },
  {
    title: "keys that cannot be read: a certificate log's that nothing needs",
    image: "signed",
    change: ({ keys }) => ({
      by: byKey(keys.one),
      log: { ...noLog, ignoreSct: false, ctlogKey: "nonsense" },
    }),
    refused:
      "failed to load CTLogs public keys: failed to get transparency log public keys: PEM decoding failed",
  },
  {
    title: "annotations that the signer made",
    image: "annotated",
    change: ({ keys }) => ({ by: byKey(keys.one), annotations: { env: "prod" } }),
  },
  {
    title: "annotations that the signer made otherwise",
    image: "annotated",
    change: ({ keys }) => ({ by: byKey(keys.one), annotations: { env: "dev" } }),
    refused: "no signature matched the required annotations",
  },
  { title: "a log entry", image: "logged", change: withLog },
  {
    title: "the log's entry of another log",
    image: "in another log",
    change: withLog,
    refused:
      "no matching signatures: error verifying bundle: verifying bundle: rekor log public key not found for payload",
  },
  {
    title: "another log's entry under the log's name",
    image: "log entry forged",
    change: withLog,
    refused: "no matching signatures: error verifying bundle: unable to verify SET",
  },
  {
    title: "a log entry of another key",
    image: "log entry of another key",
    change: withLog,
    refused: "no matching signatures: error verifying bundle: failed to extract signature from bundle: " +
      "verifying signature: invalid signature when validating ASN.1 encoded signature",
  },
  { title: "keyless identities: any", image: "keyless", change: keyless() },
  {
    title: "keyless identities: subject and issuer",
    image: "keyless",
    change: keyless({ subject: "dev@acme.test", issuer: "https://accounts.acme.test" }),
  },
  { title: "keyless identities: wildcards", image: "keyless", change: keyless({ subject: "*@acme.test" }) },
  {
    title: "keyless identities: wildcards that are taken literally",
    image: "keyless",
    change: keyless({ subject: "*@acme.test" }, { more: { compare: "literally" } }),
    refused: "subject mismatch: expected *@acme.test, received dev@acme.test",
  },
  {
    title: "keyless identities: regular expressions search",
    image: "keyless",
    change: keyless({ subjectRegExp: "acme", issuerRegExp: "^https://accounts" }),
  },
  {
    title: "keyless identities: another subject",
    image: "keyless",
    change: keyless({ subject: "ops@acme.test" }),
    refused: "subject mismatch: expected ops@acme.test, received dev@acme.test",
  },
  {
    title: "keyless identities: another issuer",
    image: "keyless",
    change: keyless({ issuer: "https://other.test" }),
    refused: "issuer mismatch: expected https://other.test, received https://accounts.acme.test",
  },
  {
    title: "keyless identities: an invalid regular expression",
    image: "keyless",
    change: keyless({ subjectRegExp: "(" }),
    refused: "invalid regexp for subject: ( : error parsing regexp: missing closing ): `(`",
  },
  {
    title: "keyless identities: an unknown extension",
    image: "keyless",
    change: keyless({}, { more: { extensions: { buildSignerURI: "x" } } }),
    refused: "invalid certificate extension buildSignerURI",
  },
  {
    title: "keyless: no certificate",
    image: "signed",
    change: keyless({}, { log: { ignoreTlog: true } }),
    refused: "no matching signatures: no certificate found on signature",
  },
  {
    title: "keyless: no certificate, and a log that wants one",
    image: "signed",
    change: keyless(),
    refused: "no matching signatures: empty key",
  },
  {
    title: "keyless: no certificate, and a log entry of a key",
    image: "logged",
    change: keyless(),
    refused: "no matching signatures: error verifying bundle: empty key",
  },
  {
    title: "a key, and the certificate of another one with its log entry",
    image: "keyless",
    change: withLog,
    refused:
      "no matching signatures: error verifying bundle: both public key and certificate were provided " +
      "but did not match",
  },
  {
    title: "a key, and the certificate of another one without a log entry",
    image: "keyless, timestamp alone",
    change: withLog,
    refused: "no matching signatures: both public key and certificate were provided but did not match",
  },
  {
    title: "keyless: another root",
    image: "keyless",
    change: (fixtures) => keyless({}, { more: { roots: fixtures.codeRoot } })(fixtures),
    refused:
      "no matching signatures: cert verification failed: x509: certificate signed by unknown authority. " +
      "Check your TUF root (see cosign initialize) or set a custom root with env var SIGSTORE_ROOT_FILE",
  },
  {
    title: "keyless: no certificate timestamp",
    image: "keyless without certificate timestamp",
    change: keyless(),
    refused:
      "no matching signatures: certificate does not include required embedded SCT and no detached SCT was set",
  },
  {
    title: "keyless: a certificate timestamp that is ignored",
    image: "keyless without certificate timestamp",
    change: keyless({}, { log: { ignoreSct: true } }),
  },
  {
    title: "keyless: a certificate timestamp of another log",
    image: "keyless from another certificate log",
    change: keyless(),
    refused: /^no matching signatures: ctfe public key not found for payload\. Check your TUF root/,
  },
  {
    title: "keyless: logged after the certificate's end",
    image: "keyless, logged too late",
    change: keyless(),
    refused:
      /^no matching signatures: checking expiry on certificate with bundle: certificate expired before observed time: 2026-03-01T12:10:00Z is before 2026-03-01T1\d:\d\d:00Z$/,
  },
  {
    title: "keyless: a timestamp instead of a log",
    image: "keyless, timestamp alone",
    change: timestampAlone,
  },
  {
    title: "keyless: a timestamp after the certificate's end",
    image: "keyless, timestamp too late",
    change: timestampAlone,
    refused:
      /^no matching signatures: checking expiry on certificate with timestamp: certificate expired before/,
  },
  {
    title: "keyless: neither log nor timestamp",
    image: "keyless, timestamp alone",
    change: keyless({}, { log: { ignoreTlog: true } }),
    refused: "no matching signatures: expected a signed timestamp to verify an expired certificate",
  },
  {
    title: "certificates: of another signer",
    image: "certificate of a stranger",
    change: codeChain,
    refused:
      /^no matching signatures: cert verification failed: x509: certificate signed by unknown authority\./,
  },
  {
    title: "certificates: an invalid text",
    image: "signed",
    change: () => ({ by: { kind: "certificates", certificate: "nonsense", chain: "" } }),
    refused: "failed to load certificate from nonsense: failed to unmarshal certificate from PEM format: " +
      "error during PEM decoding",
  },
  { title: "attestations", image: "attested", change: attested, statements: [provenanceType] },
  {
    title: "attestations: none",
    image: "unsigned",
    change: attested,
    refused: "no matching attestations: ",
  },
  {
    title: "attestations: of another key",
    image: "attested",
    change: ({ keys }) => ({ by: byKey(keys.two), want: { attestations: provenanceType } }),
    refused:
      /^no matching attestations: (?:accepted signatures do not match threshold, Found: 0, Expected 1(?:\n |$))+$/,
  },
  {
    title: "attestations: about another image",
    image: "attested about another image",
    change: attested,
    refused: "no matching attestations: no matching subject digest found",
  },
  {
    title: "attestations: a predicate that is no object",
    image: "attested with a list as predicate",
    change: attested,
    refused: "no matching attestations: could not parse predicate with type []interface {}",
  },
  {
    title: "attestations: another payload type",
    image: "attested with another payload type",
    change: attested,
    refused: "no matching attestations: invalid payloadType application/json on envelope. " +
      "Expected application/vnd.in-toto+json",
  },
  {
    title: "attestations: an invalid signature",
    image: "attested with a bad signature",
    change: attested,
    refused: "no matching attestations: accepted signatures do not match threshold, Found: 0, Expected 1",
  },
  { title: "bundles", image: "bundle", change: bundled },
  { title: "bundles: none", image: "signed", change: bundled, refused: noBundle },
  { title: "bundles: of another key", image: "bundle of another key", change: bundled, refused: noBundle },
  {
    title: "bundles: about another image",
    image: "bundle about another image",
    change: bundled,
    refused: noBundle,
  },
  {
    title: "bundles: preferred to tags",
    image: "bundle of another key",
    change: ({ keys }) => ({ by: byKey(keys.one), layout: "bundle or tag" }),
    refused: noBundle,
  },
  {
    title: "bundles: a key needs no observed time in an ImageValidatingPolicy",
    image: "bundle",
    change: ({ keys }) => ({
      by: byKey(keys.one),
      layout: "bundle or tag",
      log: { ...noLog, ignoreSct: false },
    }),
  },
  {
    title: "bundles: tags when there are no bundles",
    image: "signed",
    change: ({ keys }) => ({ by: byKey(keys.one), layout: "bundle or tag" }),
  },
  { title: "Notary: JWS", image: "notary jws", change: withNotary },
  { title: "Notary: COSE", image: "notary cose", change: withNotary },
  {
    title: "Notary: another authority",
    image: "notary of another authority",
    change: withNotary,
    refused: untrusted,
  },
  {
    title: "Notary: expired",
    image: "notary expired",
    change: withNotary,
    refused: /digital signature has expired on "\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000"$/,
  },
  {
    title: "Notary: about another image",
    image: "notary about another image",
    change: withNotary,
    refused: /, content descriptor mismatch$/,
  },
  {
    title: "Notary: no signature",
    image: "notary unsigned",
    change: withNotary,
    refused:
      /^failed to verify (\S+@sha256:[0-9a-f]{64}): no signature is associated with "\1", make sure the artifact was signed successfully$/,
  },
  {
    title: "Notary: invalid certificates",
    image: "notary jws",
    change: notary(() => "nonsense"),
    refused: "failed to parse certificates: error during PEM decoding",
  },
];

/** Registers the tests of the contract. */
export function signaturesContract(name: string, newFixtures: () => Promise<SignatureFixtures>): void {
  Deno.test(`${name}: the contract of signatures`, async (test) => {
    const fixtures = await newFixtures();
    try {
      for (const { title, image, change, refused, statements } of trials) {
        await test.step(title, async () => {
          const answer = await fixtures.signatures.verify(queryAbout(fixtures, image, change));
          check(answer, { refused, statements });
        });
      }
      await test.step("a failed connection is an error", async () => await nobodyListens(fixtures));
      await test.step("a tag has a digest, and a missing image an error", async () =>
        await digests(fixtures));
    } finally {
      await fixtures.close();
    }
  });
}

function queryAbout(fixtures: SignatureFixtures, image: ImageName, change: QueryChange): SignatureQuery {
  return queryByKey(fixtures.images[image], fixtures.keys.one, change(fixtures));
}

function check(
  answer: SignatureAnswer,
  { refused, statements }: {
    readonly refused: string | RegExp | undefined;
    readonly statements: readonly string[] | undefined;
  },
): void {
  if (refused === undefined) {
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
    assert.match(answer.digest, /^sha256:[0-9a-f]{64}$/);
    if (statements !== undefined) {
      const types = answer.statements.map(({ type }) => type);
      for (const type of statements) {
        assert.ok(types.includes(type), `${type} is not among ${types.join(", ")}`);
      }
    }
    return;
  }
  assert.ok(!answer.ok, "it should be refused");
  assert.equal(answer.why, "not verified");
  if (typeof refused === "string") assert.equal(answer.message, refused);
  else assert.match(answer.message, refused);
}

async function nobodyListens(fixtures: SignatureFixtures): Promise<void> {
  const query = queryAbout(fixtures, "signed", withKey);
  // A port that was free a moment ago.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  const answer = await fixtures.signatures.verify({ ...query, image: `${address}/app:v1` });
  assert.ok(!answer.ok);
  assert.equal(answer.why, "no connection");
  assert.equal(
    answer.message,
    ["https", "http"].map((scheme) =>
      `Get "${scheme}://${address}/v2/": dial tcp ${address}: connect: connection refused`
    ).join("; "),
  );
}

async function digests({ signatures, images }: SignatureFixtures): Promise<void> {
  const digest = await signatures.digest(images.signed, {});
  assert.ok(digest.ok, digest.ok ? "" : digest.message);
  assert.match(digest.digest, /^sha256:[0-9a-f]{64}$/);
  const unknown = await signatures.digest(images.missing, {});
  assert.ok(!unknown.ok);
  assert.equal(unknown.why, "refused");
  assert.match(unknown.message, /^GET http:.*: MANIFEST_UNKNOWN: manifest unknown$/);
  // An image by its digest is read, too: the registry says whether it has it.
  const repository = images.signed.slice(0, images.signed.lastIndexOf(":"));
  assert.deepEqual(await signatures.digest(`${repository}@${digest.digest}`, {}), digest);
  const gone = await signatures.digest(`${repository}@sha256:${"0".repeat(64)}`, {});
  assert.ok(!gone.ok);
  assert.match(gone.message, /MANIFEST_UNKNOWN: manifest unknown$/);
}
