/** Images that are signed in every way, for tests of bundles on their runtimes. */
import type { SignatureQuery } from "../../lib/ports.ts";
import { queryFor, signingWays } from "../bench/signed_images.ts";
import { trustedRootOf } from "../registries/signing/bundle.ts";
import { issue, newKeys, usage } from "../registries/signing/certificates.ts";
import { signNotary } from "../registries/signing/cosign.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { queryByKey } from "../registries/signing/query.ts";
import type { TestRegistry } from "../registries/signing/registry.ts";
import { TimestampSigners } from "../registries/signing/stamped.ts";

/** Queries about images that verify, and the trusted root for them. */
export interface ImageQueries {
  readonly queries: readonly SignatureQuery[];
  /** The repositories of the images, by query. */
  readonly repositories: readonly string[];
  readonly root: string;
}

/** Puts an image for each kind of signature into a registry. */
export function putSignedImages(registry: TestRegistry): ImageQueries {
  const signers = new Signers(), ways = signingWays(registry, signers);
  for (const { name, put } of ways) put(`${name}/app:v1`);
  const queries = ways.map(({ name, entry }) => queryFor(`${registry.host}/${name}/app:v1`, entry));
  const notary = new TimestampSigners();
  const stamped = { issuers: [notary.root], timestamp: notary.stamp() };
  const cose = issue({
    name: "cose",
    keys: newKeys(),
    issuer: notary.root,
    usages: [usage.codeSigning],
    until: new Date("2026-03-01T12:10:00Z"),
  });
  signNotary(registry, registry.image("jws/app:v1"), { signer: notary.ended, ...stamped });
  signNotary(registry, registry.image("cose/app:v1"), { signer: cose, envelope: "cose", ...stamped });
  const by = {
    kind: "certificates" as const,
    certificate: notary.root.pem,
    chain: "",
    timestampRoots: notary.authorityRoot.pem,
  };
  const notaryQueries = ["jws", "cose"].map((name) =>
    queryByKey(`${registry.host}/${name}/app:v1`, "", { layout: "notary", by })
  );
  return {
    queries: [...queries, ...notaryQueries],
    repositories: [...ways.map(({ name }) => `${name}/app`), "jws/app", "cose/app"],
    root: trustedRootOf(signers),
  };
}
