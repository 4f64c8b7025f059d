import { asList, asObject, type DocumentPath, field, isObject, isString, type Json, type JsonObject } from "../json/mod.ts";
import { signatureAlgorithms, textOf } from "./image_attestors.ts";
import { modernEntry } from "./image_verification.ts";
import type { FailureAction } from "./policy.ts";

/** Something in an entry of `verifyImages` or `validate.manifests` for which Kyverno refuses the policy. */
export interface ImageProblem {
  /** Below the rule: `["verifyImages", 0, "attestors", 0]`. */
  readonly path: DocumentPath;
  /** Kyverno's words. */
  readonly message: string;
}

type Path = ImageProblem["path"];

/** What is wrong with the entries of `verifyImages` of a rule. */
export function imageProblems(entries: readonly Json[], policyAction: FailureAction): ImageProblem[] {
  return entries.flatMap((entry, index) =>
    isObject(entry) ? [...entryProblems(entry, ["verifyImages", index], policyAction)] : []
  );
}

function* entryProblems(entry: JsonObject, path: Path, policyAction: FailureAction): Generator<ImageProblem> {
  const action = textOf(entry["failureAction"]).toLowerCase() || policyAction.toLowerCase();
  if (action !== "enforce" && entry["mutateDigest"] !== false) {
    yield {
      path: [...path, "mutateDigest"],
      message: "mutateDigest must be set to false for ‘Audit’ failure action",
    };
  }
  const modern = modernEntry(entry);
  const references = asList(modern["imageReferences"]);
  if (references.length === 0) yield { path, message: "An image reference is required" };
  for (const [index, reference] of references.entries()) {
    if (isString(reference) && reference.includes("{{")) {
      const place = [...path, "imageReferences", index];
      yield { path: place, message: "variables are not allowed in image reference" };
    }
  }
  const isNotary = modern["type"] === "Notary";
  yield* setProblems(modern["attestors"], [...path, "attestors"], { isNotary });
  for (const [index, attestation] of asList(modern["attestations"]).entries()) {
    const place = [...path, "attestations", index, "attestors"];
    yield* setProblems(field(attestation, "attestors"), place, { isNotary });
  }
}

/** What is wrong with a list of attestor sets, those of `validate.manifests` too. */
export function* setProblems(
  sets: Json | undefined,
  path: Path,
  { isNotary }: { readonly isNotary: boolean },
): Generator<ImageProblem> {
  for (const [index, set] of asList(sets).entries()) {
    if (isObject(set)) yield* oneSetProblems(set, [...path, index], isNotary);
  }
}

function* oneSetProblems(set: JsonObject, path: Path, isNotary: boolean): Generator<ImageProblem> {
  const entries = asList(set["entries"]), { count } = set;
  if (entries.length === 0) yield { path, message: "An entry is required" };
  if (typeof count === "number" && count < 1) {
    yield { path: [...path, "count"], message: "count should be greater than or equal to 1" };
  }
  // Kyverno parity: several keys in one text are one entry here.
  if (typeof count === "number" && count > entries.length) {
    yield { path, message: "Count cannot exceed length of entries" };
  }
  for (const [index, entry] of entries.entries()) {
    if (isObject(entry)) yield* attestorProblems(entry, [...path, "entries", index], isNotary);
  }
}

const attestorKinds = ["keys", "certificates", "keyless", "attestor"];

function* attestorProblems(entry: JsonObject, path: Path, isNotary: boolean): Generator<ImageProblem> {
  const kinds = attestorKinds.filter((kind) => isObject(entry[kind]));
  if (kinds.length !== 1) {
    yield { path, message: "keys, certificates, keyless, or a nested attestor is required" };
    return;
  }
  const kind = kinds[0]!, body = asObject(entry[kind])!, place = [...path, kind];
  if (kind === "attestor") return yield* oneSetProblems(body, place, isNotary);
  if (isNotary && kind === "keys") {
    yield { path: place, message: "Keys field is not allowed for type notary" };
  }
  if (isNotary && kind === "keyless") {
    yield { path: place, message: "Keyless field is not allowed for type notary" };
  }
  yield* signerProblems(kind, body, place);
}

function* signerProblems(kind: string, body: JsonObject, path: Path): Generator<ImageProblem> {
  const has = (name: string): boolean => textOf(body[name]) !== "";
  const rekor = asObject(body["rekor"]);
  if (kind === "keys") {
    if (!has("publicKeys") && !has("kms") && !isObject(body["secret"])) {
      yield { path, message: "A public key, kms key or secret is required" };
    }
    const algorithm = textOf(body["signatureAlgorithm"]);
    if (algorithm !== "" && !(signatureAlgorithms as readonly string[]).includes(algorithm)) {
      yield { path, message: "Invalid signature algorithm provided" };
    }
  }
  if (kind === "certificates" && !has("cert") && !has("certChain")) {
    yield { path, message: "cert or certChain required" };
  }
  if (kind === "keyless" && rekor === undefined && !has("roots")) {
    yield { path, message: "Either Rekor URL or roots are required" };
  }
  if (kind === "keyless" && rekor?.["url"] === "") {
    yield { path: [...path, "rekor"], message: "An URL is required" };
  }
}
