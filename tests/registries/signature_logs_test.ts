/** Entries of transparency logs, which signatures bring along or which the log gives. */
import assert from "node:assert/strict";
import type { LogTrust } from "../../lib/ports.ts";
import { type Keys, newKeys } from "./signing/certificates.ts";
import { payloadFor, putSignatures, signatureLayer, signImage } from "./signing/cosign.ts";
import { noLog } from "./signing/query.ts";
import type { Layer, TestRegistry } from "./signing/registry.ts";
import { signaturesTest } from "./signature_trials.ts";

/** A log beside a registry that signs its entries with these keys. */
function logIn(registry: TestRegistry, { pem }: Keys): LogTrust {
  return { ...noLog, ignoreTlog: false, rekorUrl: `http://${registry.host}/rekor/`, rekorKey: pem };
}

signaturesTest(
  "an entry that a signature lacks is looked up only when allowed",
  async (trial) => {
    const { registry, keys, verify } = trial;
    signImage(registry, "app:v1", { keys });
    const answer = await verify("app:v1", { log: logIn(registry, newKeys()) });
    assert.match(answer.ok ? "" : answer.message, /looking entries up in the log is switched off$/);
    assert.ok(!registry.received.some(({ path }) => path.startsWith("/rekor")));
  },
);

signaturesTest("a log without the entry gives the message", async ({ registry, keys, verify }) => {
  signImage(registry, "app:v1", { keys });
  const answer = await verify("app:v1", { log: logIn(registry, newKeys()) });
  assert.match(
    answer.ok ? "" : answer.message,
    /^no matching signatures: searching log query: \[POST \/api\/v1\/log\/entries\/retrieve\]\[404\] searchLogQuery default \{\}$/,
  );
}, { logSearch: "allowed" });

signaturesTest(
  "a log is called at no address that registries may not have",
  async ({ registry, keys, verify }) => {
    signImage(registry, "app:v1", { keys });
    const answer = await verify("app:v1", { log: logIn(registry, newKeys()) });
    assert.match(answer.ok ? "" : answer.message, /searching log query: .*the address is not allowed$/);
    assert.ok(!registry.received.some(({ path }) => path.startsWith("/rekor")));
  },
  {
    logSearch: "allowed",
    allows: ({ pathname }) =>
      Promise.resolve(pathname.startsWith("/rekor") ? { refused: "the address is not allowed" } : {}),
  },
);

for (
  const [title, recorded] of [["the signature's entry", "own"], ["an entry of another key", "other"]] as const
) {
  signaturesTest(`a log that has ${title}`, async ({ registry, keys, verify }) => {
    const log = newKeys(), other = newKeys();
    const digest = registry.image("app:v1");
    const payload = payloadFor(digest);
    const signer = recorded === "own" ? keys : other;
    const made = signatureLayer(payload, { keys: signer, log: { keys: log } });
    const { SignedEntryTimestamp, Payload } = JSON.parse(made.annotations!["dev.sigstore.cosign/bundle"]!);
    const entry = { ...Payload, verification: { signedEntryTimestamp: SignedEntryTimestamp } };
    // The log's entry is about the signature that is there only when the same bytes were signed by the same key.
    const layer = signatureLayer(payload, { keys });
    putSignatures(registry, "app:v1", digest, [recorded === "own" ? withoutBundle(made) : layer]);
    registry.intercept(({ method, path }) =>
      method === "POST" && path === "/rekor/api/v1/log/entries/retrieve"
        ? Response.json([{ uuid: entry }])
        : undefined
    );
    const answer = await verify("app:v1", { useCache: false, log: logIn(registry, log) });
    assert.equal(answer.ok, recorded === "own", answer.ok ? "" : answer.message);
  }, { logSearch: "allowed" });
}

function withoutBundle(layer: Layer): Layer {
  const { "dev.sigstore.cosign/bundle": _, ...annotations } = layer.annotations ?? {};
  return { ...layer, annotations };
}
