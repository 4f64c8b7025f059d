import * as pako from "pako";

/**
 * The packages that the engine loads on demand, and which few starts need: those that make certificates, verify images
 * and write spans. They are a quarter of all text, so in the image they are a file of their own, which is read with the
 * first of them.
 *
 * @module
 */
export const packages: Readonly<Record<string, () => Promise<unknown>>> = {
  "@opentelemetry/api": () => import("@opentelemetry/api"),
  "@peculiar/x509": () => import("@peculiar/x509"),
  "@sigstore/bundle": () => import("@sigstore/bundle"),
  "@sigstore/core": () => import("@sigstore/core"),
  "@sigstore/protobuf-specs": () => import("@sigstore/protobuf-specs"),
  "@sigstore/tuf": () => import("@sigstore/tuf"),
  "@sigstore/tuf/seeds.json": () => import("@sigstore/tuf/seeds.json", { with: { type: "json" } }),
  "@sigstore/verify": () => import("@sigstore/verify"),
  "cbor2": () => import("cbor2"),
  "cli-progress": () => import("cli-progress"),
  "reflect-metadata": () => import("reflect-metadata"),
};

/** Packages that the engine imports at once, and calls for few policies: their code runs with the first call. */
export const modules: Readonly<Record<string, unknown>> = {
  "pako": pako,
};
