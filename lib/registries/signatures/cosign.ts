import { isFault } from "../../json/mod.ts";
import type { Statement } from "../../ports.ts";
import type { Certificate } from "./certificate.ts";
import { claimContent, hasAnnotations, readClaim } from "./claim.ts";
import { checkCosignSignature, type CosignSignature, type SignatureCheck } from "./cosign_signature.ts";
import { type CosignTrust, readCosignTrust } from "./cosign_trust.ts";
import { referringSignatures, type SignatureSource, taggedSignatures } from "./cosign_tag.ts";
import { AttestationContent } from "./envelope.ts";
import { refusesIdentity } from "./identity.ts";
import { faulty, type Inquiry, refusedBy, unverified, type Verdict } from "./inquiry.ts";

/** A signature that was checked. */
interface Tried {
  readonly signature: CosignSignature;
  readonly checked: SignatureCheck;
}

type Verified = {
  readonly signature: CosignSignature;
  readonly checked: Extract<SignatureCheck, { ok: true }>;
};

/** Verifies signatures or attestations in Cosign's layout. */
export async function verifyCosign(inquiry: Inquiry): Promise<Verdict> {
  const { query } = inquiry;
  const trust = await readCosignTrust(
    {
      by: query.by,
      log: query.log,
      chainTimestamp: query.annotationsIn === "payload" ? "demanded" : "as the policy says",
    },
    inquiry.root,
    inquiry.ports.authorities,
  );
  if (isFault(trust)) return faulty(trust);
  return query.want === "signature"
    ? await verifySignatures(inquiry, trust)
    : await verifyAttestations(inquiry, { trust, type: query.want.attestations });
}

/**
 * Kyverno parity: where no referring signature verifies, those of the tag are checked, and the message is about them.
 * Pinned by "without a tag, a referring signature of another key is as none".
 */
async function verifySignatures(inquiry: Inquiry, trust: CosignTrust): Promise<Verdict> {
  const referring = inquiry.query.layout === "referrer or tag"
    ? await referringSignatures(sourceOf(inquiry)) ?? []
    : [];
  const first = await checkSignatures(inquiry, referring, trust);
  if (first.some(isVerified)) return verdictOf(inquiry, first);
  const signatures = await taggedSignatures(sourceOf(inquiry), "sig");
  if (isFault(signatures)) return { ...refusedBy(signatures), tried: triedOf(first) };
  if (signatures.length === 0) return unverified("no signatures found", triedOf(first));
  const verdict = verdictOf(inquiry, await checkSignatures(inquiry, signatures, trust));
  return { ...verdict, tried: [...triedOf(first), ...verdict.tried] };
}

async function checkSignatures(
  inquiry: Inquiry,
  signatures: readonly CosignSignature[],
  trust: CosignTrust,
): Promise<readonly Tried[]> {
  const check = async (signature: CosignSignature): Promise<Tried> => {
    const content = claimContent(signature.payload, signature.signature, inquiry.digest);
    const checked = await checkCosignSignature(signature, { content, trust, ports: inquiry.ports });
    return { signature, checked };
  };
  return await checkAll(inquiry, signatures, { trust, check });
}

/** The verdict about signatures that were checked: one must verify, and have the annotations. */
function verdictOf(inquiry: Inquiry, all: readonly Tried[]): Verdict {
  const { query } = inquiry;
  const verified = all.filter(isVerified);
  const tried = triedOf(all);
  if (verified.length === 0) return unverified(`no matching signatures: ${reasonsOf(all)}`, tried);
  const identity = refusesSigner(inquiry, verified);
  if (identity !== undefined) return unverified(identity, tried);
  const given = ({ payload, annotations }: CosignSignature) =>
    query.annotationsIn === "layer" ? annotations : readClaim(payload).annotations;
  if (!verified.some(({ signature }) => hasAnnotations(given(signature), query.annotations))) {
    return unverified("no signature matched the required annotations", tried);
  }
  return { ok: true, statements: [], tried, until: earliest(verified) };
}

async function verifyAttestations(
  inquiry: Inquiry,
  { trust, type }: { readonly trust: CosignTrust; readonly type: string },
): Promise<Verdict> {
  const { query, digest } = inquiry;
  if (query.layout === "bundle or tag" && trust.logs === undefined) {
    // Kyverno parity: an ImageValidatingPolicy demands a log entry of attestations in tags. Pinned by row
    // "ivpol-attestation-tag-layout-no-log" of tests/conformance/sets/verify_images.ts.
    return unverified("no matching attestations: bundle verification is required");
  }
  const signatures = await taggedSignatures(sourceOf(inquiry), "att");
  if (isFault(signatures)) return refusedBy(signatures);
  // An envelope takes several times the memory of its text, so it is read when its turn comes, and only the statements
  // of verified ones are kept.
  const check = async (signature: CosignSignature) => {
    const content = new AttestationContent(signature.payload, digest);
    const checked = await checkCosignSignature(signature, { content, trust, ports: inquiry.ports });
    return withStatement({ signature, checked }, content);
  };
  const read = await checkAll(inquiry, signatures, { trust, check });
  const tried = triedOf(read);
  const verified = read.filter(isVerified);
  if (verified.length === 0) return unverified(`no matching attestations: ${reasonsOf(read)}`, tried);
  const statements = read.flatMap(({ statement }) => statement === undefined ? [] : [statement]);
  for (const each of read) {
    if (!isVerified(each) || each.statement?.type !== type) continue;
    const identity = refusesSigner(inquiry, [each]);
    if (identity !== undefined) return unverified(identity, tried);
  }
  // Kyverno parity: statements have no annotations, so a policy that demands some is not satisfied. Pinned by row
  // "att-annotations" of tests/conformance/sets/verify_images.ts.
  if (query.annotationsIn === "payload" && Object.keys(query.annotations).length > 0) {
    return unverified("no signature matched the required annotations", tried);
  }
  return { ok: true, statements, tried, until: earliest(verified) };
}

function sourceOf({ query, content, signatureAccess: access, digest, until }: Inquiry): SignatureSource {
  return { content, access, digest, until, tagPrefix: query.tagPrefix };
}

async function checkAll<T>(
  { checks }: Inquiry,
  signatures: readonly CosignSignature[],
  { trust, check }: {
    readonly trust: CosignTrust;
    readonly check: (signature: CosignSignature) => Promise<T>;
  },
): Promise<readonly T[]> {
  return await Promise.all(signatures.map(async (signature) => {
    // A check that searches the log runs outside the limit, so that a slow log does not delay other images.
    const searches = trust.logs !== undefined && signature.bundle === "";
    return searches ? await check(signature) : await checks.run(() => check(signature));
  }));
}

/** Adds the statement to an attestation whose signature verified; it fails when the statement cannot be read. */
function withStatement(
  { signature, checked }: Tried,
  content: AttestationContent,
): Tried & { readonly statement: Statement | undefined } {
  if (!checked.ok) return { signature, checked, statement: undefined };
  const read = content.statement();
  return isFault(read)
    ? { signature, checked: { ok: false, why: read.message }, statement: undefined }
    : { signature, checked, statement: read };
}

function isVerified<T extends Tried>(tried: T): tried is T & Verified {
  return tried.checked.ok;
}

function refusesSigner(
  { query: { by }, ports }: Inquiry,
  verified: readonly Verified[],
): string | undefined {
  if (by.kind !== "keyless") return undefined;
  const certificates = verified.flatMap(({ checked }): readonly Certificate[] =>
    checked.certificate === undefined ? [] : [checked.certificate]
  );
  return refusesIdentity(by, certificates, ports.patterns);
}

/** Sorted, so that the message is the same for every run. */
function reasonsOf(all: readonly Tried[]): string {
  return all.flatMap(({ checked }) => checked.ok ? [] : [checked.why]).sort().join("\n ");
}

function triedOf(all: readonly Tried[]): { readonly digest: string; readonly why: string }[] {
  return all.map(({ signature, checked }) => ({
    digest: signature.digest,
    why: checked.ok ? "" : checked.why,
  }));
}

/**
 * When the verdict expires. Any signature suffices, and the verdict does not record which one did, so it expires with
 * the first of them that expires.
 */
function earliest(verified: readonly Verified[]): Date | undefined {
  const ends = verified.flatMap(({ checked }) =>
    checked.until === undefined ? [] : [checked.until.getTime()]
  );
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}
