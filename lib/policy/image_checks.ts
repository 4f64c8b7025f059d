import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  type DocumentPath,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { signatureAlgorithms, textOf } from "./image_attestors.ts";
import { modernEntry, type SignatureType, signatureTypes } from "./image_verification.ts";
import type { FailureAction } from "./policy.ts";

/** The problems of a rule's `verifyImages` entries. */
export function imageProblems(entries: readonly Json[], policyAction: FailureAction): PathDiagnostic[] {
  return entries.flatMap((entry, index) =>
    isObject(entry) ? [...entryProblems(entry, ["verifyImages", index], policyAction)] : []
  );
}

function* entryProblems(
  entry: JsonObject,
  path: DocumentPath,
  policyAction: FailureAction,
): Generator<PathDiagnostic> {
  yield* typeProblems(entry, path);
  const action = textOf(entry["failureAction"]).toLowerCase() || policyAction.toLowerCase();
  if (action !== "enforce" && entry["mutateDigest"] !== false) {
    yield problem([...path, "mutateDigest"], "mutateDigest must be set to false for ‘Audit’ failure action");
  }
  const modern = modernEntry(entry);
  const references = asList(modern["imageReferences"]);
  if (references.length === 0) yield problem(path, "An image reference is required");
  for (const [index, reference] of references.entries()) {
    if (isString(reference) && reference.includes("{{")) {
      const below = [...path, "imageReferences", index];
      yield problem(below, "variables are not allowed in image reference");
    }
  }
  const type = signatureTypes.find((each) => each === modern["type"]) ?? "Cosign";
  yield* setProblems(modern["attestors"], [...path, "attestors"], type);
  for (const [index, attestation] of asList(modern["attestations"]).entries()) {
    const below = [...path, "attestations", index, "attestors"];
    yield* setProblems(field(attestation, "attestors"), below, type);
  }
}

/** A misspelt type would be verified as another one. */
function* typeProblems(entry: JsonObject, path: DocumentPath): Generator<PathDiagnostic> {
  const type = entry["type"] ?? "Cosign";
  if (!isString(type) || !(signatureTypes as readonly string[]).includes(type)) {
    yield problem([...path, "type"], `type must be Cosign, SigstoreBundle or Notary, not ${textOf(type)}`);
  }
}

/** The problems of a list of attestor sets, also those of `validate.manifests`. */
export function* setProblems(
  sets: Json | undefined,
  path: DocumentPath,
  type: SignatureType,
): Generator<PathDiagnostic> {
  for (const [index, set] of asList(sets).entries()) {
    if (isObject(set)) yield* oneSetProblems(set, [...path, index], type);
  }
}

function* oneSetProblems(
  set: JsonObject,
  path: DocumentPath,
  type: SignatureType,
): Generator<PathDiagnostic> {
  const entries = asList(set["entries"]), { count } = set;
  if (entries.length === 0) yield problem(path, "An entry is required");
  if (typeof count === "number" && count < 1) {
    yield problem([...path, "count"], "count should be greater than or equal to 1");
  }
  // Kyverno parity: several keys in one text are one entry here. Pinned by
  // tests/rules/verify_images/problems_test.ts.
  if (typeof count === "number" && count > entries.length) {
    yield problem(path, "Count cannot exceed length of entries");
  }
  for (const [index, entry] of entries.entries()) {
    if (isObject(entry)) yield* attestorProblems(entry, [...path, "entries", index], type);
  }
}

const attestorKinds = ["keys", "certificates", "keyless", "attestor"];

function* attestorProblems(
  entry: JsonObject,
  path: DocumentPath,
  type: SignatureType,
): Generator<PathDiagnostic> {
  const kinds = attestorKinds.filter((kind) => isObject(entry[kind]));
  if (kinds.length !== 1) {
    yield problem(path, "keys, certificates, keyless, or a nested attestor is required");
    return;
  }
  const kind = kinds[0]!, body = asObject(entry[kind])!, below = [...path, kind];
  if (kind === "attestor") return yield* oneSetProblems(body, below, type);
  if (type === "Notary" && kind === "keys") {
    yield problem(below, "Keys field is not allowed for type notary");
  }
  if (type === "Notary" && kind === "keyless") {
    yield problem(below, "Keyless field is not allowed for type notary");
  }
  yield* signerProblems(kind, body, below);
}

function* signerProblems(kind: string, body: JsonObject, path: DocumentPath): Generator<PathDiagnostic> {
  const has = (name: string): boolean => textOf(body[name]) !== "";
  const rekor = asObject(body["rekor"]);
  if (kind === "keys") {
    if (!has("publicKeys") && !has("kms") && !isObject(body["secret"])) {
      yield problem(path, "A public key, kms key or secret is required");
    }
    const algorithm = textOf(body["signatureAlgorithm"]);
    if (algorithm !== "" && !(signatureAlgorithms as readonly string[]).includes(algorithm)) {
      yield problem(path, "Invalid signature algorithm provided");
    }
  }
  if (kind === "certificates" && !has("cert") && !has("certChain")) {
    yield problem(path, "cert or certChain required");
  }
  if (kind === "keyless" && rekor === undefined && !has("roots")) {
    yield problem(path, "Either Rekor URL or roots are required");
  }
  if (kind === "keyless" && rekor?.["url"] === "") {
    yield problem([...path, "rekor"], "An URL is required");
  }
}

/** Kyverno refuses such a policy, with this message. */
function problem(path: DocumentPath, message: string): PathDiagnostic {
  return { severity: "error", code: "bad-image-verification", message, path };
}
