import { asList, asObject, asTextMap, asTexts, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { RegistryCredentials } from "../ports.ts";
import { type AttestorSet, attestorSetsOf, textOf } from "./image_attestors.ts";
import type { FailureAction } from "./policy.ts";
import { parseRegistryCredentials } from "../context/mod.ts";

/** The formats in which the signatures of an image are stored. */
export const signatureTypes = ["Cosign", "SigstoreBundle", "Notary"] as const;

/** The format in which the signatures of an image are stored. */
export type SignatureType = typeof signatureTypes[number];

/** One entry of `verifyImages` with its defaults filled in. */
export interface ImageVerification {
  readonly type: SignatureType;
  readonly cosignOCI11: boolean;
  /** The image references, with wildcards. */
  readonly imageReferences: readonly string[];
  readonly skipImageReferences: readonly string[];
  readonly attestors: readonly AttestorSet[];
  readonly attestations: readonly ImageAttestation[];
  readonly mutateDigest: boolean;
  readonly verifyDigest: boolean;
  readonly required: boolean;
  readonly useCache: boolean;
  /** The annotations for attestors that have none. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly repository: string;
  /**
   * The roots in PEM, for attestations without attestors. Kyverno parity: keyless attestors use the roots of their
   * entry or none. Pinned by "a keyless attestor takes no roots from its entry".
   */
  readonly roots: string;
  readonly credentials: RegistryCredentials;
  /** The message of `validate`. */
  readonly message: string;
}

/** A statement that an image must have. */
export interface ImageAttestation {
  /** The predicate type; for Notary the artifact type. It is empty when the policy names none, which fails. */
  readonly type: string;
  /** The variable with the predicate in `validate.deny`; empty for none. */
  readonly name: string;
  /** The attestors; when empty, any signer under the trusted root. */
  readonly attestors: readonly AttestorSet[];
}

/** Parses an entry, as written or with its variables replaced. It never fails: the checks report problems. */
export function imageVerificationOf(written: JsonObject): ImageVerification {
  const entry = modernEntry(written);
  const flag = (name: string): boolean => entry[name] !== false;
  return {
    type: typeOf(entry["type"]),
    cosignOCI11: entry["cosignOCI11"] === true,
    imageReferences: asTexts(entry["imageReferences"]),
    skipImageReferences: asTexts(entry["skipImageReferences"]),
    attestors: attestorSetsOf(entry["attestors"]),
    attestations: asList(entry["attestations"]).filter(isObject).map((attestation) => ({
      type: textOf(attestation["type"]) || textOf(attestation["predicateType"]),
      name: textOf(attestation["name"]),
      attestors: attestorSetsOf(attestation["attestors"]),
    })),
    mutateDigest: flag("mutateDigest"),
    verifyDigest: flag("verifyDigest"),
    required: flag("required"),
    useCache: flag("useCache"),
    annotations: asTextMap(entry["annotations"]),
    repository: textOf(entry["repository"]),
    roots: textOf(entry["roots"]),
    credentials: parseRegistryCredentials(entry["imageRegistryCredentials"]) ?? {},
    message: textOf(asObject(entry["validate"])?.["message"]),
  };
}

/** Whether the validate phase has anything to check. */
export function isCheckedAtValidation({ verifyDigest, required }: ImageVerification): boolean {
  return verifyDigest || required;
}

/**
 * The entry in the current form: its fields `image`, `key`, `issuer`, `subject` and `annotations` become a reference
 * and an attestor. Kyverno parity: beside attestations the attestor is lost. Pinned by "a key beside attestations".
 */
export function modernEntry(entry: JsonObject): JsonObject {
  const image = textOf(entry["image"]), key = textOf(entry["key"]), issuer = textOf(entry["issuer"]);
  if (image === "" && key === "" && issuer === "") return entry;
  const { image: _image, key: _key, issuer: _issuer, subject, roots, ...rest } = entry;
  const references = [...asList(entry["imageReferences"]), ...image === "" ? [] : [image]];
  const modern: Record<string, Json> = { ...rest, imageReferences: references };
  const annotations = asObject(entry["annotations"]) ?? {};
  const namesNoSigner = key === "" && issuer === "" && Object.keys(annotations).length === 0;
  if (namesNoSigner || asList(entry["attestations"]).length > 0) return modern;
  const attestor: JsonObject = {
    ...(key !== ""
      ? { keys: { publicKeys: key } }
      : issuer !== "" && { keyless: { issuer, subject: subject ?? "", roots: roots ?? "" } }),
    annotations,
  };
  return { ...modern, attestors: [...asList(entry["attestors"]), { entries: [attestor] }] };
}

/**
 * The failure action of a rule that verifies images: Enforce when any entry says so, otherwise the action of the
 * first entry that has one. `undefined` when no entry has one: the policy's action then counts.
 */
export function failureActionOfImages(entries: readonly Json[]): FailureAction | undefined {
  const actions = entries.filter(isObject).flatMap((entry) => {
    const action = textOf(entry["failureAction"]).toLowerCase();
    // An unreadable action must not allow what it was meant to forbid.
    return action === "" ? [] : action === "audit" ? ["Audit" as const] : ["Enforce" as const];
  });
  return actions.includes("Enforce") ? "Enforce" : actions[0];
}

function typeOf(written: Json | undefined): SignatureType {
  return signatureTypes.find((type) => type === written) ?? "Cosign";
}
