/** Images that the benchmark signs in every way, and how a policy says who must have signed them. */
import { type ImageVerification, imageVerificationOf } from "../../lib/policy/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { SignatureQuery } from "../../lib/ports.ts";
import { bundleWithEntry } from "../registries/signing/bundle.ts";
import { attest, envelope, signImage } from "../registries/signing/cosign.ts";
import type { Signers } from "../registries/signing/fixtures.ts";
import type { TestRegistry } from "../registries/signing/registry.ts";

const provenanceType = "https://slsa.dev/provenance/v0.2";

/** One way to sign. */
export interface SigningWay {
  /** One word: the first part of the repositories of its images. */
  readonly name: string;
  /** The title in the table. */
  readonly title: string;
  /** Puts a signed image as `REPOSITORY:TAG`. */
  readonly put: (image: string) => void;
  /** The entry of `verifyImages` that its images pass; images of other ways are none of its references. */
  readonly entry: JsonObject;
  /** Milliseconds that a first verification may take. */
  readonly goal?: number;
}

/** All ways, on one registry. */
export function signingWays(registry: TestRegistry, signers: Signers): readonly SigningWay[] {
  const { one, log, certificateLog, keylessRoot } = signers;
  const unlogged = { rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } };
  const key = { keys: { publicKeys: one.pem, ...unlogged } };
  const keyless = {
    subject: "dev@acme.test",
    issuer: "https://accounts.acme.test",
    roots: keylessRoot.pem,
    rekor: { url: "https://log.acme.test", pubkey: log.pem },
    ctlog: { pubkey: certificateLog.pem },
  };
  const logged = { keys: { publicKeys: one.pem, ctlog: { ignoreSCT: true } } };
  const entry = (name: string, fields: JsonObject): JsonObject => ({
    failureAction: "Enforce",
    imageReferences: [`${registry.host}/${name}/*`],
    ...fields,
  });
  const by = (signer: JsonObject): JsonObject => ({ attestors: [{ entries: [signer] }] });
  return [
    {
      name: "key",
      title: "by key",
      put: (image) => void signImage(registry, image, { keys: one }),
      entry: entry("key", by(key)),
      goal: 10,
    },
    {
      name: "keyless",
      title: "keyless, with log entry and certificate timestamp",
      put: (image) => void signImage(registry, image, { ...signers.keyless(), log: { keys: log } }),
      entry: entry("keyless", by({ keyless })),
    },
    {
      name: "attestation",
      title: "attestation by key",
      put: (image) => {
        const digest = registry.image(image);
        const content = envelope({ digest, type: provenanceType, predicate: { builder: { id: "b" } } }, one);
        attest(registry, image, [{ content }]);
      },
      entry: entry("attestation", { attestations: [{ type: provenanceType, ...by(key) }] }),
    },
    {
      name: "bundle",
      title: "sigstore bundle by key, with log entry",
      put: (image) => bundleWithEntry(registry, registry.image(image), { keys: one, recorded: one.pem, log }),
      entry: entry("bundle", { type: "SigstoreBundle", ...by(logged) }),
    },
  ];
}

/** The policy with the entries of all ways. */
export function imagePolicy(ways: readonly SigningWay[]): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "signed-images" },
    spec: {
      webhookTimeoutSeconds: 30,
      rules: ways.map(({ name, entry }) => ({
        name,
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        verifyImages: [entry],
      })),
    },
  };
}

/** The query to the port for an image under an entry of a policy. */
export function queryFor(image: string, entry: JsonObject): SignatureQuery {
  const { type, attestors, attestations, credentials }: ImageVerification = imageVerificationOf(entry);
  const [attestation] = attestations;
  const signer = (attestation?.attestors ?? attestors)[0]?.entries[0];
  if (signer?.kind !== "signer") throw new Error("the entry names no signer");
  return {
    image,
    layout: type === "SigstoreBundle" ? "bundle" : "tag",
    want: attestation === undefined ? "signature" : { attestations: attestation.type },
    by: signer.by,
    log: signer.log,
    annotations: {},
    annotationsIn: "payload",
    repository: "",
    tagPrefix: "",
    credentials,
    useCache: true,
  };
}
