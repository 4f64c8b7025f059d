import {
  asList,
  asObject,
  asString,
  asTexts,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import type { RegistryCredentials } from "../../ports.ts";
import { parseRegistryCredentials } from "../context_entry.ts";
import type { BodyFormat } from "./body_format.ts";

/** The images of the object must be signed. */
export interface VerifyImagesBody {
  readonly kind: "verifyImages";
  readonly entries: readonly ImageVerification[];
}

/** One entry of `verifyImages`, with the defaults of Kyverno's schema filled in. */
export interface ImageVerification {
  readonly type: "Cosign" | "SigstoreBundle" | "Notary";
  /** Wildcards. */
  readonly imageReferences: readonly string[];
  readonly skipImageReferences: readonly string[];
  /** All sets must verify. */
  readonly attestors: readonly AttestorSet[];
  readonly attestations: readonly AttestationSpec[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Where signatures are; empty for the image's own repository. */
  readonly repository: string;
  readonly cosignOCI11: boolean;
  readonly mutateDigest: boolean;
  readonly verifyDigest: boolean;
  readonly required: boolean;
  readonly useCache: boolean;
  readonly credentials: RegistryCredentials | undefined;
  /** `message` and `deny` over all attestations. */
  readonly validate: { readonly message: Json | undefined; readonly deny: Json | undefined } | undefined;
  readonly failureAction: Json | undefined;
  /** As written, for the fields of the old form: `image`, `key`, `issuer`, `subject`, `roots`. */
  readonly written: JsonObject;
}

/** Signers of which some must have signed. */
export interface AttestorSet {
  /** How many entries must verify; `undefined` for all. */
  readonly count: number | undefined;
  /** Each with one of `keys`, `certificates`, `keyless`, `attestor`, as written. */
  readonly entries: readonly JsonObject[];
}

/** A statement about the image that must be signed, and what it must say. */
export interface AttestationSpec {
  readonly name: string;
  /** `type`, or `predicateType` in the old spelling. */
  readonly type: string;
  readonly attestors: readonly AttestorSet[];
  /** Blocks of conditions over the statement. */
  readonly conditions: Json | undefined;
}

export const verifyImagesFormat: BodyFormat<VerifyImagesBody> = {
  kind: "verifyImages",
  section: "verifyImages",
  recognises: (verifyImages) => Array.isArray(verifyImages),
  read: (verifyImages) => ({
    kind: "verifyImages",
    entries: asList(verifyImages).filter(isObject).map(parseVerification),
  }),
};

function parseVerification(written: JsonObject): ImageVerification {
  const type = written["type"];
  const validate = asObject(written["validate"]);
  const isOn = (name: string): boolean => written[name] !== false;
  return {
    type: type === "SigstoreBundle" || type === "Notary" ? type : "Cosign",
    imageReferences: asTexts(written["imageReferences"]),
    skipImageReferences: asTexts(written["skipImageReferences"]),
    attestors: parseSets(written["attestors"]),
    attestations: asList(written["attestations"]).filter(isObject).map((attestation) => ({
      name: text(attestation, "name"),
      type: text(attestation, "type") || text(attestation, "predicateType"),
      attestors: parseSets(attestation["attestors"]),
      conditions: attestation["conditions"],
    })),
    annotations: texts(written["annotations"]),
    repository: text(written, "repository"),
    cosignOCI11: written["cosignOCI11"] === true,
    mutateDigest: isOn("mutateDigest"),
    verifyDigest: isOn("verifyDigest"),
    required: isOn("required"),
    useCache: isOn("useCache"),
    credentials: parseRegistryCredentials(written["imageRegistryCredentials"]),
    validate: validate && { message: validate["message"], deny: validate["deny"] },
    failureAction: written["failureAction"],
    written,
  };
}

function parseSets(written: Json | undefined): AttestorSet[] {
  return asList(written).filter(isObject).map((set) => ({
    count: typeof set["count"] === "number" ? set["count"] : undefined,
    entries: asList(set["entries"]).filter(isObject),
  }));
}

function text(written: JsonObject, name: string): string {
  return asString(field(written, name)) ?? "";
}

function texts(written: Json | undefined): Readonly<Record<string, string>> {
  const pairs = Object.entries(asObject(written) ?? {});
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : []),
  );
}
