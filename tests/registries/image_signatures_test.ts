/** Signatures of images are verified, with logins of registries, and their answers are cached. */
import assert from "node:assert/strict";
import {
  bundledTrustedRoot,
  ImageSignatures,
  type Login,
  readTrustedRoot,
} from "../../lib/registries/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import type { Cluster, SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "../adapters/fakes.ts";
import { silence } from "../adapters/fake_server.ts";
import { issue, newKeys } from "./signing/certificates.ts";
import { payloadFor, putSignatures, signatureLayer, signImage } from "./signing/cosign.ts";
import { noLog, queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";
import { signaturesTest } from "./signature_trials.ts";

signaturesTest(
  "a pass is cached for an hour, a tag for a minute",
  async ({ registry, clock, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    assert.equal((await verify("app:v1")).cached, false);
    assert.equal(registry.received.filter(({ path }) => path.startsWith("/v2/")).length, 3);
    assert.equal((await verify("app:v1")).cached, true);
    assert.equal(registry.received.length, 3);
    clock.advance(60_000);
    assert.equal((await verify("app:v1")).cached, true);
    assert.equal(registry.received.length, 4);
    clock.advance(3_600_000);
    assert.equal((await verify("app:v1")).cached, false);
  },
);

signaturesTest(
  "a tag that moved is verified again after a minute",
  async ({ registry, clock, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    assert.ok((await verify("app:v1")).ok);
    registry.manifest("app:v1", { layers: [{ content: "moved" }] });
    assert.ok((await verify("app:v1")).ok);
    clock.advance(60_000);
    assert.ok(!(await verify("app:v1")).ok);
  },
);

signaturesTest(
  "a failure is cached for half a minute, so that a new signature counts soon",
  async (trial) => {
    const { registry, clock, keys, verify } = trial;
    const digest = registry.image("app:v1");
    assert.ok(!(await verify("app:v1")).ok);
    putSignatures(registry, "app:v1", digest, [signatureLayer(payloadFor(digest), { keys })]);
    assert.ok(!(await verify("app:v1")).ok);
    clock.advance(30_000);
    assert.ok((await verify("app:v1")).ok);
  },
);

signaturesTest("an error of a registry is not cached", async ({ registry, keys, verify }) => {
  signImage(registry, "app:v1", { keys });
  registry.intercept(() => new Response(null, { status: 503 }));
  assert.ok(!(await verify("app:v1")).ok);
  registry.intercept(() => undefined);
  assert.ok((await verify("app:v1")).ok);
});

signaturesTest("useCache: false verifies again, with the cached contents of the registry", async (trial) => {
  const { registry, keys, verify } = trial;
  signImage(registry, "app:v1", { keys });
  await verify("app:v1");
  assert.equal((await verify("app:v1", { useCache: false })).cached, false);
  assert.equal(registry.received.length, 3);
});

signaturesTest("different queries have separate answers", async ({ registry, keys, verify }) => {
  signImage(registry, "app:v1", { keys, annotations: { env: "prod" } });
  assert.ok((await verify("app:v1")).ok);
  const by = { kind: "key" as const, key: newKeys().pem, hash: "sha256" as const };
  assert.ok(!(await verify("app:v1", { by })).ok);
  assert.ok(!(await verify("app:v1", { annotations: { env: "dev" } })).ok);
  assert.ok((await verify("app:v1", { annotations: { env: "prod" } })).ok);
});

signaturesTest("simultaneous equal verifications run once", async ({ registry, keys, verify }) => {
  signImage(registry, "app:v1", { keys });
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify("app:v1")));
  assert.ok(answers.every(({ ok }) => ok));
  assert.equal(registry.received.length, 3);
});

signaturesTest(
  "a deadline ends the wait of its caller, and names the registry",
  async ({ registry, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    let release = () => {};
    const opened = new Promise<void>((resolve) => release = resolve);
    registry.intercept(({ path }) =>
      path.includes("/blobs/") ? opened.then(() => new Response("")) : undefined
    );
    const deadline = new AbortController();
    const late = verify("app:v1", {}, deadline.signal);
    deadline.abort();
    const answer = await late;
    assert.ok(!answer.ok);
    assert.deepEqual([answer.why, answer.message], [
      "no connection",
      `the request's deadline passed during a call of ${registry.host}`,
    ]);
    release();
  },
);

signaturesTest("a deadline names the registry of the signatures, too", async ({ registry, verify }) => {
  const other = new TestRegistry();
  try {
    registry.image("app:v1");
    other.intercept(() => silence());
    const deadline = new AbortController();
    const late = verify("app:v1", { repository: `${other.host}/signatures` }, deadline.signal);
    deadline.abort();
    const answer = await late;
    assert.equal(
      answer.ok ? "" : answer.message,
      `the request's deadline passed during a call of ${registry.host} or ${other.host}`,
    );
  } finally {
    await other.close();
  }
});

signaturesTest("a registry that never answers ends at the time limit", async ({ registry, verify }) => {
  registry.intercept(() => silence());
  const answer = await verify("app:v1");
  assert.ok(!answer.ok);
  assert.equal(answer.why, "no connection");
  assert.match(answer.message, /no answer within \d+ ms$/);
}, { timeout: 50, attempts: 1 });

const logins: readonly [title: string, login: Login | undefined, verified: boolean][] = [
  ["nobody", undefined, false],
  ["the puller", { username: "puller", password: "secret" }, true],
  ["somebody else", { username: "puller", password: "wrong" }, false],
];
for (const [title, login, verified] of logins) {
  signaturesTest(`a private repository and ${title}`, async ({ registry, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    registry.intercept(({ headers }) =>
      headers.get("authorization") === `Basic ${btoa("puller:secret")}` ? undefined : Response.json({
        errors: [{ code: "UNAUTHORIZED", message: "authentication required" }],
      }, { status: 401, headers: { "www-authenticate": "Basic" } })
    );
    const answer = await verify("app:v1");
    assert.equal(answer.ok, verified);
    if (!answer.ok) {
      assert.equal(
        answer.message,
        `GET http://${registry.host}/v2/app/manifests/v1: UNAUTHORIZED: authentication required`,
      );
      assert.equal(answer.why, "not verified");
    }
  }, { login: () => Promise.resolve(login) });
}

const secrets: readonly [title: string, key: string, answer: Json | undefined, refused?: RegExp][] = [
  ["is there", "k8s://team/release", {}],
  ["is absent", "k8s://team/release", undefined, /checking if secret exists: secrets "release" not found$/],
  ["has no key", "k8s://team/release", { data: {} }, /the secret has no field cosign\.pub$/],
  ["has no name", "k8s://team", {}, /should be in the format k8s:\/\/<namespace>\/<secret>$/],
];
for (const [title, key, body, refused] of secrets) {
  Deno.test(`signatures: a key in a Secret that ${title}`, async () => {
    const registry = new TestRegistry();
    const keys = newKeys();
    const cluster: Cluster = {
      call: ({ path }) => {
        assert.equal(path, "/api/v1/namespaces/team/secrets/release");
        const message = 'secrets "release" not found';
        if (body === undefined) return Promise.resolve({ ok: false, status: 404, message });
        const secret = { data: { "cosign.pub": btoa(keys.pem) }, ...(body as Record<string, Json>) };
        return Promise.resolve({ ok: true, status: 200, body: secret });
      },
      resource: () => Promise.resolve(undefined),
    };
    const signatures = new ImageSignatures({ clock: fixedClock(), entropy: countingEntropy(), cluster });
    signImage(registry, "app:v1", { keys });
    const answer = await signatures.verify(queryByKey(`${registry.host}/app:v1`, key));
    await registry.close();
    await signatures.close();
    assert.equal(answer.ok, refused === undefined, answer.ok ? "" : answer.message);
    if (!answer.ok) assert.match(answer.message, refused!);
  });
}

signaturesTest(
  "the message about a missing trusted root names the remedy",
  async ({ registry, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    const by = {
      kind: "keyless" as const,
      roots: "",
      identities: [],
      compare: "wildcards" as const,
      extensions: {},
    };
    const answer = await verify("app:v1", { by });
    assert.match(answer.ok ? "" : answer.message, /there is no trusted root: name one with --trusted-root/);
  },
);

const chain = (count: number): string =>
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(count);

for (const [who, signer] of [["the policy's key", "own"], ["another key", "other"]] as const) {
  signaturesTest(
    `a tag's signature of ${who} counts behind a referring signature of another key`,
    async (trial) => {
      const { registry, keys, verify } = trial;
      const subject = registry.image("app:v1"), payload = payloadFor(subject), other = newKeys();
      registry.manifest("", {
        artifactType: "application/vnd.dev.cosign.artifact.sig.v1+json",
        subject,
        layers: [signatureLayer(payload, { keys: other })],
      });
      putSignatures(registry, "app:v1", subject, [
        signatureLayer(payload, { keys: signer === "own" ? keys : other }),
      ]);
      const answer = await verify("app:v1", { layout: "referrer or tag" });
      assert.equal(answer.ok, signer === "own", answer.ok ? "" : answer.message);
      assert.equal(answer.tried.length, 2);
    },
  );
}

signaturesTest(
  "without a tag, a referring signature of another key is as none",
  async ({ registry, verify }) => {
    const subject = registry.image("app:v1");
    registry.manifest("", {
      artifactType: "application/vnd.dev.cosign.artifact.sig.v1+json",
      subject,
      layers: [signatureLayer(payloadFor(subject), { keys: newKeys() })],
    });
    const answer = await verify("app:v1", { layout: "referrer or tag" });
    assert.equal(answer.ok ? "" : answer.message, "no signatures found");
    assert.match(answer.tried[0]?.why ?? "", /invalid signature/);
  },
);

/** Broken texts in an entry of a policy, with the message that names the field; empty when the field is not read. */
const texts: readonly (readonly [what: string, change: Partial<SignatureQuery>, message: string])[] = [
  ["a log's key although the log is ignored", { log: { ...noLog, rekorKey: "x" } }, ""],
  ["a certificate log's key although it is ignored", { log: { ...noLog, ctlogKey: "x" } }, ""],
  [
    "a log's key",
    { log: { ...noLog, ignoreTlog: false, rekorKey: "x" } },
    "failed to load Rekor public keys: failed to get rekor public keys: PEM decoding failed",
  ],
  [
    "a chain alone",
    { by: { kind: "certificates", certificate: "", chain: "x" } },
    "failed to load certificates: error creating root cert pool",
  ],
  [
    "a chain beside a certificate",
    { by: { kind: "certificates", certificate: issue({ name: "a", keys: newKeys() }).pem, chain: "x" } },
    "failed to load certificate chain: error during PEM decoding",
  ],
  [
    "a chain alone of twelve certificates",
    { by: { kind: "certificates", certificate: "", chain: chain(12) } },
    "certificate chain too long (12), maximum allowed is 11",
  ],
  [
    "a timestamp authority's chain of thirteen certificates",
    { log: { ...noLog, tsaChain: chain(13) } },
    "TSA certificate chain contains too many certificates (13), maximum allowed is 12",
  ],
];
for (const [what, change, message] of texts) {
  signaturesTest(`of a policy: ${what}`, async ({ registry, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    const answer = await verify("app:v1", change);
    assert.equal(answer.ok ? "" : answer.message, message);
  });
}

Deno.test("the trusted root of sigstore's public instance is included and readable", async () => {
  const text = await bundledTrustedRoot();
  const root = await readTrustedRoot(text ?? "");
  assert.ok(!isFault(root), isFault(root) ? root.message : "");
  assert.ok(root.logs.size > 0 && root.certificateLogs.size > 0 && root.authorities.length > 0);
});
