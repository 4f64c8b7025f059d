import { asList, asString, dig, Fault, field, isFault, type Json } from "../../json/mod.ts";
import type { SignatureTried, Signer } from "../../ports.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import type { Manifest, Referrer } from "../registry/content.ts";
import { sameBytes } from "./bytes.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import type { Certificate } from "./certificate.ts";
import { usages } from "./chain.ts";
import { type Inquiry, refusedBy, unverified, type Verdict } from "./inquiry.ts";
import { type NotaryEnvelope, readNotaryEnvelope } from "./notary_envelope.ts";
import { readLayer } from "./referrer.ts";
import { parsePayload } from "./payload.ts";

const SIGNATURE_TYPE = "application/vnd.cncf.notary.signature";
const SCHEME = "notary.x509";
const MAX_SIGNATURES = 10;
const MAX_REFERRERS = 50;
const MAX_ENVELOPE = 1_000_000;

/** Verifies Notary Project signatures of an image or of an artifact that refers to it, at the level "strict". */
export async function verifyNotary(inquiry: Inquiry): Promise<Verdict> {
  const { query: { by, want }, digest, ports } = inquiry;
  const trusted = await trustStore(by, ports.authorities);
  if (isFault(trusted)) return unverified(`failed to parse certificates: ${trusted.message}`);
  if (want !== "signature") return await verifyArtifact(inquiry, { type: want.attestations, trusted });
  const name = nameOf(inquiry, digest);
  const verdict = await verifySigned(inquiry, { digest, trusted });
  if (verdict.ok || verdict.why === "no connection") return verdict;
  return { ...verdict, message: `failed to verify ${name}: ${verdict.message}` };
}

interface Sought {
  /** The digest of the image or artifact that must be signed. */
  readonly digest: string;
  readonly trusted: readonly Certificate[];
}

/** Reads the trusted certificates: all that the policy names, in either field. */
export async function trustStore(
  by: Signer,
  authorities: AuthorityCertificates,
): Promise<readonly Certificate[] | Fault> {
  if (by.kind !== "certificates") return new Fault("Notary signatures are verified with certificates alone");
  return await authorities.read(`${by.certificate}\n${by.chain}`);
}

function nameOf({ access: { reference: { registry, repository } } }: Inquiry, digest: string): string {
  return `${registry}/${repository}@${digest}`;
}

/** Checks the signatures of an artifact until one verifies. */
async function verifySigned(inquiry: Inquiry, sought: Sought): Promise<Verdict> {
  const { content, access, until } = inquiry;
  const target = await content.image(access, sought.digest, until);
  if (isFault(target)) return refusedBy(target);
  const bounds = { artifactType: SIGNATURE_TYPE, most: MAX_SIGNATURES, until };
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
  for (const { digest } of referrers.slice(0, MAX_SIGNATURES)) {
    const why = await refusesSignature(digest, { inquiry, target, trusted: sought.trusted });
    if (typeof why === "object") return refusedBy(why);
    tried.push({ digest, why: why ?? "" });
    if (why === undefined) {
      return { ok: true, statements: [], tried, until: earliestEnd(sought.trusted) };
    }
  }
  if (referrers.length > MAX_SIGNATURES) {
    return unverified(
      `signature evaluation stopped. The configured limit of ${MAX_SIGNATURES} signatures to verify per artifact exceeded`,
      tried,
    );
  }
  const lines = tried.map(({ digest, why }) => `failed to verify signature with digest ${digest}, ${why}`);
  return unverified(["signature verification failed", ...lines].join("\n"), tried);
}

/** When a verdict expires: as soon as the first trusted certificate does. */
function earliestEnd(trusted: readonly Certificate[]): Date | undefined {
  return new Date(Math.min(...trusted.map(({ notAfter }) => notAfter.getTime())));
}

interface Target {
  readonly inquiry: Inquiry;
  readonly target: Manifest;
  readonly trusted: readonly Certificate[];
}

/** Why a signature does not count, in the words and the order of notation: integrity, trust, expiry, time, target. */
async function refusesSignature(
  digest: string,
  { inquiry: { content, access, until, ports, checks }, target, trusted }: Target,
): Promise<string | undefined | RegistryFault> {
  const manifest = await content.signatures(access, digest, until);
  if (isFault(manifest)) return manifest;
  const layers = asList(manifest.value["layers"]);
  const layer = layers[0] ?? null;
  if (layers.length !== 1) {
    return `signature manifest requires exactly one signature envelope blob, got ${layers.length}`;
  }
  const blob = await content.blob(access, asString(field(layer, "digest")) ?? "", {
    maxBytes: MAX_ENVELOPE,
    until,
  });
  if (isFault(blob)) return blob;
  const envelope = await readNotaryEnvelope(blob, asString(field(layer, "mediaType")) ?? "");
  if (isFault(envelope)) return envelope.message;
  const broken = await checks.run(() => refusesIntegrity(envelope, ports.authorities));
  if (broken !== undefined) return broken;
  const isTrusted = envelope.chain.some(({ der }) => trusted.some((each) => sameBytes(each.der, der)));
  if (!isTrusted || envelope.scheme !== SCHEME) {
    return "the signature's certificate chain does not contain any trusted certificate";
  }
  const now = new Date(ports.now());
  return refusesNow(envelope, now) ??
    refusesTarget(parsePayload(new TextDecoder().decode(envelope.payload)), target);
}

/** Why the signature does not verify, or its certificates form no code signing chain up to a self-signed one. */
async function refusesIntegrity(
  { chain, signed }: NotaryEnvelope,
  authorities: AuthorityCertificates,
): Promise<string | undefined> {
  const leaf = chain[0]!;
  if (await leaf.key.refuses(signed) !== undefined) return "signature is invalid";
  if (leaf.usages.length > 0 && !leaf.usages.includes(usages.codeSigning)) {
    return "certificate chain is invalid: the leaf is not for signing code";
  }
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1] ?? certificate;
    const above = index + 1;
    const fits = sameBytes(certificate.issuer, issuer.subject) && certificate.unknownCritical.length === 0 &&
      (issuer === certificate || (issuer.isCA && (issuer.pathLength ?? Infinity) >= above - 1));
    if (!fits || !await authorities.isSignedBy(certificate, issuer)) {
      return `certificate chain is invalid: certificate ${index} is not signed by the one after it`;
    }
  }
  return undefined;
}

/** Why the signature is not valid now. Postern supports no timestamps, so all certificates must be valid now. */
function refusesNow({ chain, expiry }: NotaryEnvelope, now: Date): string | undefined {
  if (expiry !== undefined && now > expiry) {
    return `digital signature has expired on ${JSON.stringify(expiry.toUTCString().replace("GMT", "+0000"))}`;
  }
  const ended = chain.some(({ notBefore, notAfter }) => now < notBefore || now > notAfter);
  return ended
    ? "the signature's certificate chain is not valid now, and the signature has no timestamp"
    : undefined;
}

function refusesTarget(payload: Json | undefined, { digest, mediaType, size }: Manifest): string | undefined {
  const signed = (name: string): Json | undefined => dig(payload ?? null, "targetArtifact", name);
  const same = signed("digest") === digest && signed("mediaType") === mediaType && signed("size") === size;
  return same ? undefined : "content descriptor mismatch";
}

/** Verifies the first referrer of a type, which must itself be signed. */
async function verifyArtifact(
  inquiry: Inquiry,
  { type, trusted }: { readonly type: string; readonly trusted: readonly Certificate[] },
): Promise<Verdict> {
  const { content, access, digest, until, query } = inquiry;
  const referrers = await content.referrers(access, digest, { most: MAX_REFERRERS, until });
  if (isFault(referrers)) return refusedBy(referrers);
  if (referrers.length > MAX_REFERRERS) {
    return unverified(`failed to fetch referrers: too many referrers found, max limit is ${MAX_REFERRERS}`);
  }
  const found: Referrer | undefined = referrers.find(({ artifactType }) => artifactType === type);
  if (found === undefined) {
    return unverified(`no matching attestations found for image ${query.image} with type ${type}`);
  }
  const verdict = await verifySigned(inquiry, { digest: found.digest, trusted });
  if (!verdict.ok) return verdict;
  const text = await readLayer(found.digest, { content, access, until });
  if (typeof text !== "string") return unverified(text.message, verdict.tried);
  const predicate = parsePayload(text);
  if (predicate === undefined) return unverified(notJson(text), verdict.tried);
  return { ...verdict, statements: [{ type, predicate, statement: predicate }] };
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
