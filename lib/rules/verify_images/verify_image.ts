import type { Context } from "../../context/mod.ts";
import type { ImageVerification, SignerEntry } from "../../policy/mod.ts";
import type { SignatureAnswer, SignatureLayout, SignatureQuery } from "../../ports.ts";
import { error, fail, type Outcome, pass, skip } from "../outcome.ts";
import { loadVerdict, type Pending, pending } from "./loads.ts";
import { verifyAttestations } from "./attestations.ts";
import { verifySets } from "./attestor_set.ts";
import { withPullSecrets } from "./credentials.ts";
import type { ImageEntry } from "./entries.ts";
import { atDigest, type FoundImage } from "./images.ts";

/** The rule of the entries, and the context in which they are verified. */
export interface VerifyRequest {
  readonly policy: string;
  readonly rule: string;
  readonly context: Context;
  /** All entries of the rule. */
  readonly entries: readonly ImageEntry[];
  /** The names of the Pod's pull secrets, with its namespace. */
  readonly pullSecrets: readonly string[];
}

/** The result of verifying an image under one entry. */
export interface ImageVerdict {
  readonly outcome: Outcome;
  /** The verified digest; empty for none. */
  readonly digest: string;
  /** Set when the entry skips the image. */
  readonly skipped?: true;
}

/**
 * Verifies one image under one entry: attestors, then attestations, then the conditions over all of them. `undefined`
 * when the entry needs no signature.
 */
export function verifyImage(
  entry: ImageEntry,
  found: FoundImage,
  request: VerifyRequest,
): ImageVerdict | undefined | Pending {
  const { attestors, attestations } = entry.verification;
  if (attestors.length === 0 && attestations.length === 0) return undefined;
  const { steps } = request.context.tracker;
  const isSkipped = entry.skips(found.text, steps), isMatched = entry.matches(found.text, steps);
  if (isSkipped || !isMatched) {
    const { policy, rule } = request;
    const outcome = skip(`skipping image reference image ${found.text}, policy ${policy} ruleName ${rule}`);
    return isMatched
      ? { outcome: { ...outcome, warns: true }, digest: "", skipped: true }
      : { outcome, digest: "" };
  }
  if (attestors.length === 0) return verifyStatements(entry, found, request);
  const suffix = suffixIn(entry);
  const verdict = verifySets(attestors, ".attestors", {
    verify: statementLoader(entry, found, request),
    suffix,
  });
  if (verdict === pending) return pending;
  if (!verdict.ok) {
    const message = `failed to verify image ${found.text}: ${verdict.reasons.join("; ")}`;
    return { outcome: verdict.unreachable ? error(message) : fail(message), digest: "" };
  }
  if (attestations.length === 0) {
    return { outcome: pass(`verified image signatures for ${found.text}`), digest: verdict.digest };
  }
  const signed = found.image.digest === undefined && verdict.digest !== ""
    ? atDigest(found, verdict.digest)
    : found;
  return verifyStatements(entry, signed, request);
}

function verifyStatements(
  entry: ImageEntry,
  found: FoundImage,
  request: VerifyRequest,
): ImageVerdict | Pending {
  const { context, entries, rule } = request;
  const loadStatements = statementLoader(entry, found, request);
  const verdict = verifyAttestations(entry, {
    context,
    image: found,
    loadStatements,
    suffix: suffixIn(entry),
  });
  if (verdict === pending) return pending;
  if (!verdict.ok) return { outcome: fail(verdict.message), digest: "" };
  const { digest, text } = verdict;
  const checks = entries.filter(({ deny }) => deny !== undefined);
  if (checks.length === 0) {
    return { outcome: pass(`verified image attestations for ${text}`), digest };
  }
  const visible = context.child({ values: { ...verdict.predicates, image: { ...found.image } } });
  for (const { deny, verification } of checks) {
    const denial = deny!.denial(verification.message, visible);
    if (denial !== undefined) {
      return { outcome: fail(`validation in verifyImages failed: ${denial}`), digest: "" };
    }
  }
  return { outcome: pass(`verifyImages validation is passed in ${rule} rule`), digest };
}

/** Returns a function that loads whether one signer of an entry signed the image, or statements of a type. */
function statementLoader(
  entry: ImageEntry,
  found: FoundImage,
  { context, pullSecrets }: VerifyRequest,
): (signer: SignerEntry, path: string, type?: string) => SignatureAnswer | Pending {
  const { verification } = entry;
  const { tracker } = context;
  const credentials = withPullSecrets(verification.credentials, pullSecrets);
  return (signer, path, type) => {
    const query: SignatureQuery = {
      image: found.text,
      layout: layoutOf(verification),
      want: type === undefined ? "signature" : { attestations: type },
      by: signerOf(verification, signer),
      log: signer.log,
      annotations: Object.keys(signer.annotations).length > 0 ? signer.annotations : verification.annotations,
      annotationsIn: "payload",
      repository: signer.repository || verification.repository,
      tagPrefix: "",
      credentials,
      useCache: verification.useCache,
    };
    const answer = loadVerdict(tracker, query);
    if (answer !== pending) {
      const { ok, tried } = answer;
      tracker.observer?.attestor({ image: found.text, path, failure: ok ? "" : answer.message, tried });
    }
    return answer;
  };
}

/**
 * The text that messages put behind the path of an attestor. Kyverno parity: nothing for Notary. Pinned by
 * row "17-notary" of tests/conformance/sets/verify_images.ts.
 */
function suffixIn({ verification: { type } }: ImageEntry): (signer: SignerEntry) => string {
  return type === "Notary" ? () => "" : ({ suffix }) => suffix;
}

/** The signer of an entry. An attestor of Notary needs no certificates. */
export function signerOf(
  { type }: Pick<ImageVerification, "type">,
  { by }: Pick<SignerEntry, "by">,
): SignerEntry["by"] {
  if (type !== "Notary" || by.kind === "certificates") return by;
  return { kind: "certificates", certificate: "", chain: "" };
}

/** The layout of an entry's signatures. */
export function layoutOf({ type, cosignOCI11 }: ImageVerification): SignatureLayout {
  if (type === "Notary") return "notary";
  if (type === "SigstoreBundle") return "bundle";
  return cosignOCI11 ? "referrer or tag" : "tag";
}
