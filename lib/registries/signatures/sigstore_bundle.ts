import { asString, isFault } from "../../json/mod.ts";
import type { SignatureTried, Statement } from "../../ports.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import type { Referrer } from "../registry/content.ts";
import { readCertificate } from "./certificate.ts";
import { readCosignTrust } from "./cosign_trust.ts";
import { readStatement, refusesSubject, statementOf } from "./envelope.ts";
import { refusesIdentity } from "./identity.ts";
import { faulty, type Inquiry, refusedBy, unverified, type Verdict } from "./inquiry.ts";

const bundleType = "application/vnd.dev.sigstore.bundle";
const inTotoType = "application/vnd.in-toto+json";
const maxReferrers = 50;
const maxBundleBytes = 10_000_000;

/** The referrers of an image that are sigstore bundles; a text when there are too many referrers of any kind. */
export async function bundlesOf(
  { content, signatureAccess, digest, until }: Inquiry,
): Promise<readonly Referrer[] | RegistryFault | string> {
  const referrers = await content.referrers(signatureAccess, digest, { most: maxReferrers, until });
  if (isFault(referrers)) return referrers;
  if (referrers.length > maxReferrers) {
    return `failed to fetch referrers: too many referrers found, max limit is ${maxReferrers}`;
  }
  return referrers.filter(({ artifactType }) => artifactType.startsWith(bundleType));
}

/**
 * Verifies sigstore bundles that refer to an image. Kyverno parity: the policy's log keys and roots have no effect, and
 * messages name no causes. Pinned by "bundles: of another key".
 */
export async function verifyBundles(inquiry: Inquiry): Promise<Verdict> {
  const { query } = inquiry;
  const bundles = await bundlesOf(inquiry);
  const failed = (why: string): string => `failed to fetch bundles: ${query.image}: ${why}`;
  if (typeof bundles === "string") return unverified(failed(bundles));
  if (isFault(bundles)) return refusedBy(bundles, failed(`failed to fetch referrers: ${bundles.message}`));
  const setting = await settingOf(inquiry);
  if ("ok" in setting) return setting;
  const tried: SignatureTried[] = [];
  const statements: Statement[] = [];
  for (const { digest } of bundles) {
    const statement = await statementIn(digest, inquiry, setting);
    if (isFault(statement)) return refusedBy(statement);
    tried.push({ digest, why: typeof statement === "string" ? statement : "" });
    if (typeof statement !== "string") statements.push(statement);
  }
  const wanted = query.want === "signature" ? undefined : query.want.attestations;
  const matching = statements.filter(({ type }) => wanted === undefined || wanted === "" || type === wanted);
  return matching.length === 0
    ? unverified("sigstore bundle verification failed: no matching signatures found", tried)
    : { ok: true, statements: wanted === undefined ? [] : matching, tried, until: undefined };
}

/** The key or trusted root that verifies all bundles of an image. */
interface Setting {
  readonly key: Uint8Array | undefined;
  readonly trustedRoot: string;
}

async function settingOf({ query, root, ports: { authorities } }: Inquiry): Promise<Setting | Verdict> {
  const { by, log } = query;
  const needsRoot = by.kind !== "key" || !log.ignoreTlog || needsObservedTime(query);
  const trusted = needsRoot ? await root() : undefined;
  if (isFault(trusted)) return faulty(trusted);
  if (by.kind === "keyless") return { key: undefined, trustedRoot: trusted?.text ?? "" };
  // The logs come from the trusted root, so this reads only the policy's key.
  const read = await readCosignTrust(
    {
      by,
      log: { ...log, ignoreTlog: true, ignoreSct: true, tsaChain: "" },
      chainTimestamp: "as the policy says",
    },
    root,
    authorities,
  );
  if (isFault(read)) return faulty(read);
  return { key: read.key?.spki, trustedRoot: trusted?.text ?? "" };
}

/**
 * Whether somebody else must have noted when the bundle was signed. Kyverno parity: an ImageValidatingPolicy does not
 * demand it of a key, which has no end. Pinned by "bundles: a key needs no observed time in an ImageValidatingPolicy".
 */
function needsObservedTime({ by, layout, log }: Inquiry["query"]): boolean {
  return !log.ignoreSct && !(layout === "bundle or tag" && by.kind === "key");
}

/** The statement of one bundle, or why it does not count. */
async function statementIn(
  digest: string,
  inquiry: Inquiry,
  { key, trustedRoot }: Setting,
): Promise<Statement | string | RegistryFault> {
  const { query, content, signatureAccess, until, bundles, checks, digest: image } = inquiry;
  const manifest = await content.signatures(signatureAccess, digest, until);
  if (isFault(manifest)) return manifest;
  const layer = (manifest.value["layers"] as readonly { digest?: string }[] | undefined)?.[0];
  const blob = await content.blob(signatureAccess, asString(layer?.digest ?? null) ?? "", {
    maxBytes: maxBundleBytes,
    until,
  });
  if (isFault(blob)) return blob.reached ? blob.message : blob;
  const { ignoreTlog, ignoreSct } = query.log;
  const answer = await checks.run(() =>
    bundles.check({
      bundle: new TextDecoder().decode(blob),
      key,
      trustedRoot,
      needs: {
        log: !ignoreTlog,
        observedTime: needsObservedTime(query),
        // An ImageValidatingPolicy demands it, `verifyImages` does not.
        certificateTimestamp: !ignoreSct && query.layout === "bundle or tag",
      },
    })
  );
  if (!answer.ok) return answer.why;
  const signerProblem = key === undefined ? await refusesSigner(inquiry, answer.certificate) : undefined;
  if (signerProblem !== undefined) return signerProblem;
  if (answer.payloadType !== inTotoType) return `the bundle holds ${answer.payloadType}, not ${inTotoType}`;
  const statement = readStatement(answer.payload);
  if (isFault(statement)) return statement.message;
  const other = refusesSubject(statement, image);
  if (other !== undefined) return other;
  const read = statementOf(statement);
  return isFault(read) ? read.message : read;
}

/**
 * Kyverno parity: the policy must name exactly one identity, with issuer and subject, which are compared literally.
 * Pinned by row "ivpol-bundle-keyless-two-identities" of tests/conformance/sets/verify_images.ts.
 */
async function refusesSigner(
  { query: { by }, ports }: Inquiry,
  der: Uint8Array | undefined,
): Promise<string | undefined> {
  const certificate = der === undefined ? undefined : await readCertificate(der);
  if (certificate === undefined || isFault(certificate) || by.kind !== "keyless") return "no certificate";
  const [identity, ...more] = by.identities;
  const isComplete = identity !== undefined && more.length === 0 &&
    (identity.issuer !== "" || identity.issuerRegExp !== "") &&
    (identity.subject !== "" || identity.subjectRegExp !== "");
  if (!isComplete) return "an identity policy needs an issuer and a subject";
  return refusesIdentity({ ...by, compare: "bundle" }, [certificate], ports.patterns);
}
