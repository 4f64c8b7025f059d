import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asObject, type DocumentPath, field, isObject, type JsonObject } from "../../json/mod.ts";
import { compileWildcard } from "../../kube/mod.ts";
import {
  type ImageVerification,
  imageVerificationOf,
  modernEntry,
  writtenEntries,
  type WrittenEntry,
} from "../../policy/mod.ts";

/** The parts of a `verifyImages` entry that can never pass, whatever was signed. It does not read the texts of keys. */
export function* neverPasses(entry: JsonObject, path: DocumentPath): Generator<PathDiagnostic> {
  const verification = imageVerificationOf(entry);
  yield* referencesThatNeverMatch(verification, path);
  yield* entryThatNeverPasses(verification, path);
  for (const [index, { type }] of verification.attestations.entries()) {
    if (type !== "") continue;
    yield warning([...path, "attestations", index], {
      message: "The attestation has no type, so it always fails",
      hint: "write the predicate type, such as https://slsa.dev/provenance/v1",
    });
  }
  yield* signersThatNeverPass(entry, verification, path);
}

type Why = Pick<PathDiagnostic, "message"> & { readonly hint: string };

function* referencesThatNeverMatch(
  { imageReferences, skipImageReferences, attestors, attestations }: ImageVerification,
  path: DocumentPath,
): Generator<PathDiagnostic> {
  const verifies = attestors.length > 0 || attestations.length > 0;
  for (const [index, reference] of imageReferences.entries()) {
    const entryPath = [...path, "imageReferences", index];
    const why = whyNoImage(reference);
    if (why !== undefined) yield matchWarning(entryPath, why);
    const skip = verifies ? skipImageReferences.find((each) => covers(each, reference)) : undefined;
    if (skip === undefined) continue;
    yield matchWarning(entryPath, {
      message: `skipImageReferences leaves out every image that "${reference}" matches`,
      hint: `take "${skip}" away, or write it more narrowly`,
    });
  }
}

/** The tag of an image that has a digest, too, with the part of the path before it. */
const tagAndDigest = /((?:^|[/*?@])[^/*?@:]*):[^/*?@]*@/;

/** Why a pattern can never be the text of an image: registry, path, and a tag or a digest. */
function whyNoImage(reference: string): Why | undefined {
  if (reference.includes("{{")) return undefined;
  const none = `No image ever matches "${reference}"`;
  if (/^https?:\/\//.test(reference)) {
    return { message: `${none}: it is a URL`, hint: `write "${reference.replace(/^https?:\/\//, "")}"` };
  }
  if (/[\s,;]/.test(reference)) {
    return { message: `${none}: no image has such characters`, hint: "make each image an item of the list" };
  }
  if (tagAndDigest.test(reference)) {
    return {
      message: `${none}: an image with a digest is matched without its tag`,
      hint: `write "${reference.replace(tagAndDigest, "$1@")}"`,
    };
  }
  const last = reference.slice(reference.lastIndexOf("/") + 1);
  if (!/[:@*]/.test(last)) {
    return {
      message: `${none}: it names no tag`,
      hint: `write "${reference}:*", or "${reference}*" for digests too`,
    };
  }
  return namesRegistry(reference) ? undefined : {
    message: `${none}: it names no registry, and images without one get docker.io`,
    hint: `write "docker.io/${reference}"`,
  };
}

/** Whether the first part of a pattern can be a registry: it has a wildcard, a dot or a port, or is localhost. */
function namesRegistry(reference: string): boolean {
  const [first = ""] = reference.split("/", 1);
  const [host = "", port] = first.split(":", 2);
  if (/[*?.]/.test(host) || host === "localhost") return true;
  return port !== undefined && (first !== reference || /^\d{2,5}[*?]*$/.test(port));
}

/** Whether a pattern matches everything that another one matches; only for simple cases. */
function covers(wide: string, narrow: string): boolean {
  return wide === narrow || (!wide.includes("?") && compileWildcard(wide)(narrow));
}

function* entryThatNeverPasses(
  { attestors, attestations, required, type, annotations }: ImageVerification,
  path: DocumentPath,
): Generator<PathDiagnostic> {
  if (attestors.length === 0 && attestations.length === 0 && required) {
    yield warning(path, {
      message: "The entry requires no signature, and required denies images that nobody verified",
      hint: "add attestors, or set required: false",
    });
  }
  if (type === "Cosign" && attestations.length > 0 && Object.keys(annotations).length > 0) {
    yield warning([...path, "annotations"], statementsHaveNone);
  }
}

const statementsHaveNone: Why = {
  message: "Attestations have no annotations, so an attestation with these always fails",
  hint: "check the predicate under conditions",
};

function* signersThatNeverPass(
  entry: JsonObject,
  { type }: ImageVerification,
  path: DocumentPath,
): Generator<PathDiagnostic> {
  const modern = modernEntry(entry);
  for (const written of writtenEntries(modern["attestors"], [...path, "attestors"])) {
    yield* entryProblems(written, { type, forAttestation: false });
  }
  for (const [index, attestation] of asList(modern["attestations"]).entries()) {
    const entryPath = [...path, "attestations", index, "attestors"];
    for (const written of writtenEntries(field(attestation, "attestors"), entryPath)) {
      yield* entryProblems(written, { type, forAttestation: true });
    }
  }
}

interface Use {
  readonly type: ImageVerification["type"];
  readonly forAttestation: boolean;
}

function* entryProblems({ entry, path }: WrittenEntry, use: Use): Generator<PathDiagnostic> {
  const why = whyNever(entry, use);
  if (why !== undefined) yield warning(path, why);
}

/** Why no signature can satisfy an attestor; `undefined` when one can. */
function whyNever(signer: JsonObject, { type, forAttestation }: Use): Why | undefined {
  const certificates = asObject(signer["certificates"]), keyless = asObject(signer["keyless"]);
  if (forAttestation && isObject(signer["attestor"])) {
    return { message: "A nested attestor never verifies an attestation", hint: "list its entries here" };
  }
  if (forAttestation && type === "Cosign" && Object.keys(asObject(signer["annotations"]) ?? {}).length > 0) {
    return statementsHaveNone;
  }
  if (type === "Cosign" && certificates?.["cert"] && certificates["certChain"]) {
    return {
      message: "A certificate together with its chain passes only with an embedded certificate timestamp",
      hint: "give cert alone, or certChain alone",
    };
  }
  if (type === "SigstoreBundle" && certificates !== undefined && !certificates["cert"]) {
    return {
      message:
        "A bundle is verified with a key, a certificate or an identity, and never with certChain alone",
      hint: "give cert, or an identity under keyless",
    };
  }
  if (type === "SigstoreBundle" && keyless !== undefined && !hasWholeIdentity(keyless)) {
    return {
      message: "A bundle is verified only with both an issuer and a subject",
      hint: "add subject or subjectRegExp, and issuer or issuerRegExp",
    };
  }
  return undefined;
}

function hasWholeIdentity(keyless: JsonObject): boolean {
  const has = (name: string): boolean => Boolean(keyless[name]) || Boolean(keyless[`${name}RegExp`]);
  return has("issuer") && has("subject");
}

function matchWarning(path: DocumentPath, { message, hint }: Why): PathDiagnostic {
  return { severity: "warning", code: "never-matches", message, hint, path };
}

/** The warning about a part that no image can pass. */
function warning(path: DocumentPath, { message, hint }: Why): PathDiagnostic {
  return { severity: "warning", code: "never-passes", message, hint, path };
}
