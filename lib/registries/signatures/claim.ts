import { asString, dig, field, isFault, isObject, type Json } from "../../json/mod.ts";
import type { SignatureContent } from "./cosign_signature.ts";
import { base64Bytes } from "./pem.ts";
import { readPayload } from "./payload.ts";
import { SignedMessage } from "./signed_message.ts";

/** The payload of an image signature ("simple signing"): the image's digest, and the signer's annotations. */
export interface Claim {
  /** Empty where the payload has none. */
  readonly digest: string;
  /** The annotations that the signer added; values may have any JSON type. */
  readonly annotations: Readonly<Record<string, Json>>;
  /** Why the payload cannot be read; empty where it can be. */
  readonly problem: string;
}

/** Reads a payload; one that cannot be read yields an empty claim. */
export function readClaim(payload: Uint8Array): Claim {
  const value = readPayload(new TextDecoder().decode(payload), "the payload");
  if (isFault(value)) return { digest: "", annotations: {}, problem: value.message };
  const annotations = field(value, "optional");
  return {
    problem: "",
    digest: asString(dig(value, "critical", "image", "docker-manifest-digest")) ?? "",
    annotations: isObject(annotations) ? annotations : {},
  };
}

/** A signature over a payload that must name an image's digest. */
export function claimContent(payload: Uint8Array, signature: string, digest: string): SignatureContent {
  const message = new SignedMessage(payload);
  return {
    message,
    async refusesSignature(key, hash) {
      const bytes = base64Bytes(signature);
      if (bytes === undefined) return `illegal base64 data at input byte ${firstIllegal(signature)}`;
      return await message.refuses(key, bytes, hash);
    },
    refusesClaim() {
      const claimed = readClaim(payload);
      if (claimed.digest === digest) return undefined;
      return `invalid or missing digest in claim: ${claimed.digest || claimed.problem}`;
    },
  };
}

/**
 * Whether a signature has the annotations that a policy demands. Kyverno parity: only JSON strings are compared, so
 * the number 7 is not "7". Pinned by "annotations that the signer made otherwise".
 */
export function hasAnnotations(
  given: Readonly<Record<string, Json>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(given, key) && given[key] === value);
}

/** The position at which Go's base64 decoder stops. */
function firstIllegal(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  return at < 0 ? text.length : at;
}
