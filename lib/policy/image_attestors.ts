import {
  asList,
  asObject,
  asString,
  asTextMap,
  type DocumentPath,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { LogTrust, Signer } from "../ports.ts";

/** A set of attestors of an image, and how many of them must have signed. */
export interface AttestorSet {
  readonly required: number;
  /** The entries; each of several keys in one text is an entry. */
  readonly entries: readonly AttestorEntry[];
}

/** A possible signer, or a set of signers that counts as one. */
export type AttestorEntry =
  | { readonly kind: "set"; readonly set: AttestorSet }
  | {
    readonly kind: "signer";
    readonly by: Signer;
    /** The suffix that messages put behind the entry's path: `.keys`, `.certificates`, `.keyless`. */
    readonly suffix: string;
    readonly log: LogTrust;
    /** The annotations; empty where the entry has none. */
    readonly annotations: Readonly<Record<string, string>>;
    readonly repository: string;
  };

/** An entry without a nested set. */
export type SignerEntry = Extract<AttestorEntry, { kind: "signer" }>;

/** Sigstore's public log, which Kyverno uses where a policy names no other. */
const publicLog = "https://rekor.sigstore.dev";

/** Parses a list of attestor sets. Missing values and values of other types are empty: the checks report them. */
export function attestorSetsOf(written: Json | undefined): AttestorSet[] {
  return asList(written).filter(isObject).map(attestorSetOf);
}

/** A written entry of attestor sets, with its path. */
export interface WrittenEntry {
  readonly path: DocumentPath;
  readonly entry: JsonObject;
  /** The possible signers; empty for a nested set. */
  readonly signers: readonly SignerEntry[];
}

/** All entries of attestor sets. The entries of a nested set follow the entry that holds it. */
export function* writtenEntries(sets: Json | undefined, path: DocumentPath): Generator<WrittenEntry> {
  for (const [index, set] of asList(sets).entries()) yield* entriesIn(set, [...path, index]);
}

function* entriesIn(set: Json, path: DocumentPath): Generator<WrittenEntry> {
  for (const [index, entry] of asList(field(set, "entries")).entries()) {
    if (!isObject(entry)) continue;
    const entryPath = [...path, "entries", index];
    const signers = entriesOf(entry).filter((each) => each.kind === "signer");
    yield { path: entryPath, entry, signers };
    if (isObject(entry["attestor"])) yield* entriesIn(entry["attestor"], [...entryPath, "attestor"]);
  }
}

function attestorSetOf(written: JsonObject): AttestorSet {
  const entries = asList(written["entries"]).filter(isObject).flatMap(entriesOf);
  const count = written["count"];
  return { required: typeof count === "number" && count > 0 ? count : entries.length, entries };
}

function entriesOf(entry: JsonObject): AttestorEntry[] {
  const nested = asObject(entry["attestor"]);
  if (nested !== undefined) return [{ kind: "set", set: attestorSetOf(nested) }];
  const keys = asObject(entry["keys"]);
  const keyless = asObject(entry["keyless"]), certificates = asObject(entry["certificates"]);
  const common = {
    kind: "signer",
    annotations: asTextMap(entry["annotations"]),
    repository: textOf(entry["repository"]),
  } as const;
  if (keys !== undefined) {
    const hash = hashOf(keys["signatureAlgorithm"]);
    const log = logTrustOf(keys);
    return keyTexts(keys).map((key) => ({ ...common, by: { kind: "key", key, hash }, suffix: ".keys", log }));
  }
  if (certificates !== undefined) {
    const certificate = textOf(certificates["cert"]), chain = textOf(certificates["certChain"]);
    const by: Signer = { kind: "certificates", certificate, chain };
    return [{ ...common, by, suffix: ".certificates", log: logTrustOf(certificates) }];
  }
  const by = keylessOf(keyless ?? {});
  return [{ ...common, by, suffix: keyless === undefined ? "" : ".keyless", log: logTrustOf(keyless ?? {}) }];
}

function keylessOf(keyless: JsonObject): Signer {
  const identity = {
    issuer: textOf(keyless["issuer"]),
    issuerRegExp: textOf(keyless["issuerRegExp"]),
    subject: textOf(keyless["subject"]),
    subjectRegExp: textOf(keyless["subjectRegExp"]),
  };
  const isNamed = Object.values(identity).some((text) => text !== "");
  return {
    kind: "keyless",
    identities: isNamed ? [identity] : [],
    compare: "wildcards",
    roots: textOf(keyless["roots"]),
    extensions: asTextMap(keyless["additionalExtensions"]),
  };
}

/** The keys of an entry, each as one text. A Secret and a key of a key management service are their addresses. */
function keyTexts(keys: JsonObject): string[] {
  const text = textOf(keys["publicKeys"]);
  if (text !== "") return separateKeys(text);
  const secret = asObject(keys["secret"]);
  return secret === undefined
    ? [textOf(keys["kms"])]
    : [`k8s://${textOf(secret["namespace"])}/${textOf(secret["name"])}`];
}

/** The Secret in a key's text, `k8s://NAMESPACE/NAME`; `undefined` for a key itself. */
export function publicKeySecret(
  key: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = "", name = ""] = /^k8s:\/\/([^/]*)\/(.+)$/.exec(key.trim()) ?? [];
  return name === "" ? undefined : { namespace, name };
}

const keyEnd = "-----END PUBLIC KEY-----";

/**
 * The keys of a text that may hold several. Kyverno parity: text between two keys belongs to the second, and text
 * behind the last is dropped. Pinned by "each of several keys in one text is one entry".
 *
 * ```ts
 * import { separateKeys } from "./image_attestors.ts";
 * import assert from "node:assert/strict";
 * const end = "-----END PUBLIC KEY-----";
 * assert.deepEqual(separateKeys(`one${end}\ntwo${end}\n`), [`one${end}`, `two${end}`]);
 * assert.deepEqual(separateKeys("not a key"), ["not a key"]);
 * ```
 */
export function separateKeys(text: string): string[] {
  const parts = text.split(keyEnd);
  if (parts.length <= 2) return [text];
  return parts.slice(0, -1).map((part) => `${part.trimStart()}${keyEnd}`);
}

/**
 * Reads the `rekor` and `ctlog` of a part of an attestor entry: how the logs of signatures and certificates are used.
 */
export function logTrustOf(signer: JsonObject): LogTrust {
  const rekor = signer["rekor"], ctlog = signer["ctlog"];
  return {
    ignoreTlog: field(rekor, "ignoreTlog") === true,
    rekorUrl: textOf(field(rekor, "url")) || publicLog,
    rekorKey: textOf(field(rekor, "pubkey")),
    ignoreSct: field(ctlog, "ignoreSCT") === true,
    ctlogKey: textOf(field(ctlog, "pubkey")),
    tsaChain: textOf(field(ctlog, "tsaCertChain")),
    trustedRoot: "",
    tufMirror: "",
  };
}

/** The hash algorithms of a key entry. */
export const signatureAlgorithms = ["sha224", "sha256", "sha384", "sha512"] as const;

function hashOf(written: Json | undefined): typeof signatureAlgorithms[number] {
  return signatureAlgorithms.find((name) => name === written) ?? "sha256";
}

/** A text; empty when the value is none. */
export function textOf(value: Json | undefined): string {
  return asString(value) ?? "";
}
