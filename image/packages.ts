import * as pako from "pako";

/**
 * The packages that few starts need: those that make certificates, verify images and write spans. They are a quarter of
 * all code, so the image has them in a separate file, which the engine reads when it needs the first of them.
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

/** Packages that the engine imports statically but calls for few policies. They are loaded with the first call. */
export const modules: Readonly<Record<string, unknown>> = {
  "pako": pako,
};
