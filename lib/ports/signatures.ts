import type { Json } from "../json/mod.ts";
import type { Answer } from "./answer.ts";

/** Credentials that a policy gives for a registry. */
export interface RegistryCredentials {
  readonly allowInsecureRegistry?: boolean;
  readonly providers?: readonly string[];
  /** Names of image pull secrets: of Postern's own namespace, or `NAMESPACE/NAME`. */
  readonly secrets?: readonly string[];
}

/** The storage and format of an image's signatures. */
export type SignatureLayout =
  /** Cosign's tags `sha256-HEX.sig` and `sha256-HEX.att`. */
  | "tag"
  /** Cosign's referrers (OCI 1.1), and the tag when there are none that can be read. */
  | "referrer or tag"
  /** Sigstore bundles as referrers. */
  | "bundle"
  /** Sigstore bundles when the image has any, otherwise Cosign's tags. */
  | "bundle or tag"
  /** Notary Project signatures as referrers. */
  | "notary";

/**
 * The required signer of a signature. The texts are those of the policy; the adapter parses them and keeps what
 * it parsed.
 */
export type Signer =
  | {
    readonly kind: "key";
    /** One public key in PEM, or `k8s://NAMESPACE/NAME` for the field `cosign.pub` of a Secret. */
    readonly key: string;
    readonly hash: "sha224" | "sha256" | "sha384" | "sha512";
  }
  | {
    readonly kind: "certificates";
    /** PEM, or the base64 of it; empty when only the chain is given. */
    readonly certificate: string;
    readonly chain: string;
    /**
     * Notary alone: PEM of the roots of timestamp authorities. When it is there and not empty, every signature must
     * have a timestamp, and its certificates must have been valid then instead of now.
     */
    readonly timestampRoots?: string;
  }
  | {
    readonly kind: "keyless";
    /** The signature must fulfil one of them; any certificate of the roots passes when there are none. */
    readonly identities: readonly Identity[];
    /** `wildcards`: issuer, subject and extensions may have `*` and `?`. */
    readonly compare: "wildcards" | "literally";
    /** PEM; the trusted root is used when it is empty. */
    readonly roots: string;
    /** Certificate extensions by Kyverno's name or by OID, with their wanted values. */
    readonly extensions: Readonly<Record<string, string>>;
  };

/** An identity in a short-lived certificate; an empty text matches any. */
export interface Identity {
  readonly issuer: string;
  readonly issuerRegExp: string;
  readonly subject: string;
  readonly subjectRegExp: string;
}

/** The transparency logs and timestamp authorities that verify a signature; an empty text means the trusted root. */
export interface LogTrust {
  readonly ignoreTlog: boolean;
  /** The log in which to look up an entry that a signature does not carry. */
  readonly rekorUrl: string;
  readonly rekorKey: string;
  readonly ignoreSct: boolean;
  readonly ctlogKey: string;
  /** PEM: leaf (optional), intermediates, root. No timestamp is demanded when it is empty. */
  readonly tsaChain: string;
  /** A trusted root in sigstore's JSON that replaces that of the installation; empty for none. */
  readonly trustedRoot: string;
  /** A TUF mirror whose trusted root replaces the installation's; the adapter knows it by this address. */
  readonly tufMirror: string;
}

/** Attestations that an image must have. */
export interface WantedAttestations {
  /** The predicate type of the statements, for Notary the artifact type of the referrer. */
  readonly attestations: string;
  /** Notary: whether any referrer of the type suffices; when absent, the first one decides. */
  readonly any?: true;
}

/** One entry of a policy, with its defaults filled in, about one image. */
export interface SignatureQuery {
  /** With registry, and with tag or digest: the digest wins. */
  readonly image: string;
  readonly layout: SignatureLayout;
  /**
   * `signature`: any signature of the image. `attestations`: all statements that verify; `type` is the predicate type
   * of the entry (only its statements need the identity), for Notary the artifact type of the referrer.
   */
  readonly want: "signature" | WantedAttestations;
  readonly by: Signer;
  readonly log: LogTrust;
  /** Must be in the signature; for Notary ignored. */
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * `payload`: what the signer signed, as in `verifyImages`. `layer`: the annotations of the signature's layer, as in
   * ImageValidatingPolicy, which also takes a certificate with its chain as the logs say.
   */
  readonly annotationsIn: "payload" | "layer";
  /** The repository that holds the signatures; that of the image when empty. */
  readonly repository: string;
  /** In front of `sha256-HEX.sig`, with its hyphen added; usually empty. */
  readonly tagPrefix: string;
  readonly credentials: RegistryCredentials;
  /** Whether an earlier verdict may answer. What the registry holds is kept for some seconds in any case. */
  readonly useCache: boolean;
}

/** An attestation whose signature verified. */
export interface Statement {
  /** The predicate type; for Notary the artifact type. */
  readonly type: string;
  /** For Notary the referrer's JSON layer. */
  readonly predicate: Json;
  /** The in-toto statement whole; for Notary the referrer's JSON layer. */
  readonly statement: Json;
}

/** A checked signature, for explanations: its digest, and the reason why it does not count (empty: it counts). */
export interface SignatureTried {
  readonly digest: string;
  readonly why: string;
}

/** The result of verifying the signatures of an image. */
export type SignatureAnswer =
  | {
    readonly ok: true;
    /** The image's digest, `sha256:HEX`: that of the index for several platforms. */
    readonly digest: string;
    /** In the order of the signature's manifest; empty unless attestations were wanted. */
    readonly statements: readonly Statement[];
    readonly tried: readonly SignatureTried[];
    /** Whether an earlier verdict answered. */
    readonly cached: boolean;
  }
  | {
    readonly ok: false;
    /** `no connection`: the registry gave no answer, which makes Kyverno's rule an Error; everything else is a Fail. */
    readonly why: "not verified" | "no connection";
    /** Kyverno's words, without path and image: `no matching signatures: …`. Several reasons are sorted. */
    readonly message: string;
    /** The image's digest where it was found before verification failed. */
    readonly digest: string | undefined;
    readonly tried: readonly SignatureTried[];
    readonly cached: boolean;
  };

/** Text with a signature beside it: a signed manifest. */
export interface SignedTextQuery {
  /** The bytes that were signed. */
  readonly message: Uint8Array;
  /** Base64. */
  readonly signature: string;
  /** Base64 of PEM, as the annotation has it; empty for none. */
  readonly certificate: string;
  /** JSON of a log entry, in base64; empty for none. */
  readonly bundle: string;
  readonly by: Signer;
  readonly log: LogTrust;
}

/** Whether a signed text verifies. */
export type SignedTextAnswer =
  | {
    readonly ok: true;
    /** The subject of the certificate; empty for keys. */
    readonly signer: string;
  }
  | { readonly ok: false; readonly message: string };

/** The digest that a registry has for an image, or the reason why there is none, in the registry's words. */
export type DigestAnswer =
  | { readonly ok: true; readonly digest: string }
  | {
    readonly ok: false;
    readonly why: "refused" | "no connection";
    /** `GET http://…/manifests/v1: MANIFEST_UNKNOWN: manifest unknown`. */
    readonly message: string;
  };

/** Verifies signatures of images and of texts: it hides registries, transparency logs and cryptography. */
export interface Signatures {
  verify(query: SignatureQuery, signal?: AbortSignal): Promise<SignatureAnswer>;
  verifyText(query: SignedTextQuery, signal?: AbortSignal): Promise<SignedTextAnswer>;
  /** The digest of an image's manifest or index, from the registry, which must have the one in the text. */
  digest(image: string, credentials: RegistryCredentials, signal?: AbortSignal): Promise<DigestAnswer>;
  /**
   * For Notary and ImageValidatingPolicy: the JSON of the one layer of an image's referrer of an artifact type, whether
   * or not somebody signed it.
   */
  referrer(query: ReferrerQuery, signal?: AbortSignal): Promise<Answer>;
}

/** An artifact that refers to an image. */
export interface ReferrerQuery {
  readonly image: string;
  readonly artifactType: string;
  readonly credentials: RegistryCredentials;
}
