import { hexOf } from "../../bytes/mod.ts";
import {
  asList,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  parseJson,
  textField,
} from "../../json/mod.ts";
import { sha256 } from "../registry/sha256.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { base64Bytes } from "./pem.ts";
import { PublicKey } from "./public_key.ts";

/** A log's key and when it was in use. */
export interface LogKey {
  readonly key: PublicKey;
  readonly from: Date;
  readonly until: Date;
}

/** The certificates of an authority, and the time for which they are trusted. */
export interface TrustedAuthority {
  /** Leaf first, where there is one; the root is the last. */
  readonly chain: readonly Certificate[];
  readonly from: Date;
  readonly until: Date;
}

/** Sigstore's trusted root, parsed. Verification uses it where a policy names no keys, roots or logs. */
export interface TrustedRoot {
  /** The file's text, which the library for bundles reads itself. */
  readonly text: string;
  readonly authorities: readonly TrustedAuthority[];
  readonly timestampAuthorities: readonly TrustedAuthority[];
  /** The keys of logs, by log ID in hexadecimal. */
  readonly logs: ReadonlyMap<string, LogKey>;
  readonly certificateLogs: ReadonlyMap<string, LogKey>;
}

const maxLength = 1_000_000;
const beginning = new Date(0), end = new Date(8_640_000_000_000_000);

/** Reads a trusted root (`application/vnd.dev.sigstore.trustedroot+json`). The fault says which part is broken. */
export async function readTrustedRoot(text: string): Promise<TrustedRoot | Fault> {
  if (text.length > maxLength) return new Fault(`a trusted root is shorter than ${maxLength} characters`);
  const root = parseJson(text);
  if (!isObject(root) || !(asString(root["mediaType"]) ?? "").includes("trustedroot")) {
    return new Fault("this is no trusted root: its mediaType says something else");
  }
  const authorities = await authoritiesIn(root["certificateAuthorities"], "certificateAuthorities");
  if (isFault(authorities)) return authorities;
  const timestampAuthorities = await authoritiesIn(root["timestampAuthorities"], "timestampAuthorities");
  if (isFault(timestampAuthorities)) return timestampAuthorities;
  const logs = await logsIn(root["tlogs"], "tlogs");
  if (isFault(logs)) return logs;
  const certificateLogs = await logsIn(root["ctlogs"], "ctlogs");
  if (isFault(certificateLogs)) return certificateLogs;
  return { text, authorities, timestampAuthorities, logs, certificateLogs };
}

/** The ID of a log: SHA-256 of its key (RFC 6962 §3.2), in hexadecimal. */
async function logIdOf(key: PublicKey): Promise<string> {
  return hexOf(await sha256(key.spki));
}

/** Makes a set of logs of one key, which counts at any time. */
export async function singleLog(key: PublicKey): Promise<ReadonlyMap<string, LogKey>> {
  return new Map([[await logIdOf(key), { key, from: beginning, until: end }]]);
}

async function authoritiesIn(
  list: Json | undefined,
  name: string,
): Promise<readonly TrustedAuthority[] | Fault> {
  const authorities: TrustedAuthority[] = [];
  for (const [index, each] of asList(list).entries()) {
    const chain: Certificate[] = [];
    for (const one of asList(dig(each, "certChain", "certificates"))) {
      const bytes = base64Bytes(textField(one, "rawBytes"));
      const certificate = bytes === undefined ? new Fault("this is no base64") : await readCertificate(bytes);
      if (isFault(certificate)) return new Fault(`${name}[${index}]: ${certificate.message}`);
      chain.push(certificate);
    }
    authorities.push({ chain, ...validityOf(field(each, "validFor")) });
  }
  return authorities;
}

async function logsIn(list: Json | undefined, name: string): Promise<ReadonlyMap<string, LogKey> | Fault> {
  const logs = new Map<string, LogKey>();
  for (const [index, each] of asList(list).entries()) {
    const bytes = base64Bytes(asString(dig(each, "publicKey", "rawBytes")) ?? "");
    const id = base64Bytes(asString(dig(each, "logId", "keyId")) ?? "");
    const key = bytes === undefined ? new Fault("this is no base64") : PublicKey.read(bytes);
    if (isFault(key)) return new Fault(`${name}[${index}]: ${key.message}`);
    const name256 = id === undefined || id.length === 0 ? await logIdOf(key) : hexOf(id);
    logs.set(name256, { key, ...validityOf(dig(each, "publicKey", "validFor")) });
  }
  return logs;
}

function validityOf(value: Json | undefined): { readonly from: Date; readonly until: Date } {
  const from = new Date(asString(field(value, "start")) ?? NaN);
  const until = new Date(asString(field(value, "end")) ?? NaN);
  return {
    from: Number.isNaN(from.getTime()) ? beginning : from,
    until: Number.isNaN(until.getTime()) ? end : until,
  };
}
