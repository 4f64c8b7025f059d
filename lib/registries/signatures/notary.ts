import { asList, dig, Fault, isFault, type Json, textField } from "../../json/mod.ts";
import type { SignatureTried, Signer, WantedAttestations } from "../../ports.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import type { Manifest, Referrer } from "../registry/content.ts";
import { sameBytes } from "../../bytes/mod.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import type { Certificate } from "./certificate.ts";
import { type Inquiry, refusedBy, unverified, type Verdict } from "./inquiry.ts";
import { refusesSigningChain } from "./notary_chain.ts";
import { type NotaryEnvelope, readNotaryEnvelope } from "./notary_envelope.ts";
import { refusesTime } from "./notary_time.ts";
import { readLayer } from "./referrer.ts";
import { parsePayload, readPayload } from "./payload.ts";

const signatureType = "application/vnd.cncf.notary.signature";
const trustedScheme = "notary.x509";
const maxSignatures = 10;
const maxReferrers = 50;
const maxEnvelopeBytes = 1_000_000;

/** Verifies Notary Project signatures of an image or of an artifact that refers to it, at the level "strict". */
export async function verifyNotary(inquiry: Inquiry): Promise<Verdict> {
  const { query: { by, want }, digest, ports } = inquiry;
  const trust = await notaryTrust(by, ports.authorities);
  if (isFault(trust)) return unverified(`failed to parse certificates: ${trust.message}`);
  if (want !== "signature") return await verifyArtifact(inquiry, { want, trust });
  const name = nameOf(inquiry, digest);
  const verdict = await verifySigned(inquiry, { digest, trust });
  if (verdict.ok || verdict.why === "no connection") return verdict;
  return { ...verdict, message: `failed to verify ${name}: ${verdict.message}` };
}

/** The certificates of a policy, parsed. */
export interface NotaryTrust {
  readonly signers: readonly Certificate[];
  /** The roots of timestamp authorities; when there are some, every signature must have a timestamp. */
  readonly timestampRoots: readonly Certificate[];
}

interface Sought {
  /** The digest of the image or artifact that must be signed. */
  readonly digest: string;
  readonly trust: NotaryTrust;
}

/** Reads the trusted certificates: all that the policy names, in either field, and those of timestamp authorities. */
export async function notaryTrust(
  by: Signer,
  authorities: AuthorityCertificates,
): Promise<NotaryTrust | Fault> {
  if (by.kind !== "certificates") return new Fault("Notary signatures are verified with certificates alone");
  const signers = await authorities.read(`${by.certificate}\n${by.chain}`);
  if (isFault(signers)) return signers;
  const { timestampRoots: text = "" } = by;
  const timestampRoots = text.trim() === "" ? [] : await authorities.read(text);
  return isFault(timestampRoots) ? timestampRoots : { signers, timestampRoots };
}

function nameOf({ access: { reference: { registry, repository } } }: Inquiry, digest: string): string {
  return `${registry}/${repository}@${digest}`;
}

/** Checks the signatures of an artifact until one verifies. */
async function verifySigned(inquiry: Inquiry, sought: Sought): Promise<Verdict> {
  const { content, access, until } = inquiry;
  const target = await content.image(access, sought.digest, until);
  if (isFault(target)) return refusedBy(target);
  const bounds = { artifactType: signatureType, most: maxSignatures, until };
  const referrers = await content.referrers(access, sought.digest, bounds);
  if (isFault(referrers)) return refusedBy(referrers);
  if (referrers.length === 0) {
    const name = nameOf(inquiry, sought.digest);
    return unverified(
      `no signature is associated with ${
        JSON.stringify(name)
      }, make sure the artifact was signed successfully`,
    );
  }
  const tried: SignatureTried[] = [];
  for (const { digest } of referrers.slice(0, maxSignatures)) {
    const envelope = await readSignature(digest, inquiry);
    if (isFault(envelope)) return refusedBy(envelope);
    const why = typeof envelope === "string"
      ? envelope
      : await refusesSignature(envelope, { inquiry, target, trust: sought.trust });
    tried.push({ digest, why: why ?? "" });
    if (why === undefined && typeof envelope !== "string") {
      return { ok: true, statements: [], tried, until: endOf(envelope, sought.trust) };
    }
  }
  if (referrers.length > maxSignatures) {
    return unverified(
      `signature evaluation stopped. The configured limit of ${maxSignatures} signatures to verify per artifact exceeded`,
      tried,
    );
  }
  const lines = tried.map(({ digest, why }) => `failed to verify signature with digest ${digest}, ${why}`);
  return unverified(["signature verification failed", ...lines].join("\n"), tried);
}

/**
 * When a verdict expires: as soon as the signature or one of its certificates does. Certificates that a timestamp
 * vouches for were valid then, and need not be later.
 */
function endOf({ chain, expiry }: NotaryEnvelope, { timestampRoots }: NotaryTrust): Date | undefined {
  const ends = timestampRoots.length === 0 ? chain.map(({ notAfter }) => notAfter.getTime()) : [];
  if (expiry !== undefined) ends.push(expiry.getTime());
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** Reads a signature; a text says why it is none, a fault that the registry refused it. */
async function readSignature(
  digest: string,
  { content, access, until }: Inquiry,
): Promise<NotaryEnvelope | string | RegistryFault> {
  const manifest = await content.signatures(access, digest, until);
  if (isFault(manifest)) return manifest;
  const layers = asList(manifest.value["layers"]);
  const layer = layers[0] ?? null;
  if (layers.length !== 1) {
    return `signature manifest requires exactly one signature envelope blob, got ${layers.length}`;
  }
  const blob = await content.blob(access, textField(layer, "digest"), {
    maxBytes: maxEnvelopeBytes,
    until,
  });
  if (isFault(blob)) return blob;
  const envelope = await readNotaryEnvelope(blob, textField(layer, "mediaType"));
  return isFault(envelope) ? envelope.message : envelope;
}

interface Target {
  readonly inquiry: Inquiry;
  readonly target: Manifest;
  readonly trust: NotaryTrust;
}

/** Why a signature does not count, in the words and the order of notation: integrity, trust, expiry, time, target. */
async function refusesSignature(
  envelope: NotaryEnvelope,
  { inquiry: { ports, checks }, target, trust }: Target,
): Promise<string | undefined> {
  const broken = await checks.run(() => refusesIntegrity(envelope, ports.authorities));
  if (broken !== undefined) return broken;
  const isTrusted = envelope.chain.some(({ der }) => trust.signers.some((each) => sameBytes(each.der, der)));
  if (!isTrusted || envelope.scheme !== trustedScheme) {
    return "the signature's certificate chain does not contain any trusted certificate";
  }
  const { timestampRoots } = trust, { authorities } = ports;
  const now = new Date(ports.now());
  const late = await checks.run(() => refusesTime(envelope, { now, timestampRoots, authorities }));
  return late ?? refusesTarget(envelope.payload, target);
}

/** Why the signature does not verify, or its certificates form no chain for signing code. */
async function refusesIntegrity(
  { chain, signed }: NotaryEnvelope,
  authorities: AuthorityCertificates,
): Promise<string | undefined> {
  return await chain[0]!.key.refuses(signed) === undefined
    ? await refusesSigningChain(chain, authorities)
    : "signature is invalid";
}

function refusesTarget(payload: Uint8Array, { digest, mediaType, size }: Manifest): string | undefined {
  const value = readPayload(new TextDecoder().decode(payload), "the payload");
  if (isFault(value)) return `content descriptor mismatch: ${value.message}`;
  const signed = (name: string): Json | undefined => dig(value, "targetArtifact", name);
  const same = signed("digest") === digest && signed("mediaType") === mediaType && signed("size") === size;
  return same ? undefined : "content descriptor mismatch";
}

interface WantedArtifact {
  readonly want: WantedAttestations;
  readonly trust: NotaryTrust;
}

/**
 * Verifies the referrers of a type, which must themselves be signed: the first one, or each until one verifies. Kyverno
 * parity: `verifyImages` tries only the first, an ImageValidatingPolicy all. Pinned by "a signed artifact behind an
 * unsigned one counts for an ImageValidatingPolicy alone".
 */
async function verifyArtifact(inquiry: Inquiry, { want, trust }: WantedArtifact): Promise<Verdict> {
  const { content, access, digest, until, query } = inquiry;
  const { attestations: type, any = false } = want;
  const referrers = await content.referrers(access, digest, { most: maxReferrers, until });
  if (isFault(referrers)) return refusedBy(referrers);
  if (referrers.length > maxReferrers) {
    return unverified(`failed to fetch referrers: too many referrers found, max limit is ${maxReferrers}`);
  }
  const found = referrers.filter(({ artifactType }) => artifactType === type);
  let last = unverified(`no matching attestations found for image ${query.image} with type ${type}`);
  for (const referrer of any ? found : found.slice(0, 1)) {
    last = await verifySigned(inquiry, { digest: referrer.digest, trust });
    if (last.ok) return await withArtifact(last, referrer, { inquiry, want });
    if (last.why === "no connection") return last;
  }
  return last;
}

/** Adds the JSON of an artifact to its verdict. Only expressions that read it need it to be JSON. */
async function withArtifact(
  verdict: Extract<Verdict, { ok: true }>,
  { digest }: Referrer,
  { inquiry: { content, access, until }, want }: {
    readonly inquiry: Inquiry;
    readonly want: WantedAttestations;
  },
): Promise<Verdict> {
  const text = await readLayer(digest, { content, access, until });
  const predicate = typeof text === "string" ? parsePayload(text) : undefined;
  if (predicate !== undefined) {
    return { ...verdict, statements: [{ type: want.attestations, predicate, statement: predicate }] };
  }
  if (want.any === true) return verdict;
  return unverified(typeof text === "string" ? notJson(text) : text.message, verdict.tried);
}

/** Why a text is no JSON, in the words of Go's `encoding/json` for an error at the start of the text. */
function notJson(text: string): string {
  const start = text.trimStart();
  for (const literal of ["null", "true", "false"]) {
    for (let at = 1; at < literal.length && start[0] === literal[0]; at++) {
      if (start[at] === literal[at]) continue;
      return `invalid character '${start[at] ?? ""}' in literal ${literal} (expecting '${literal[at]}')`;
    }
  }
  return start === ""
    ? "unexpected end of JSON input"
    : `invalid character '${start[0]}' looking for beginning of value`;
}
