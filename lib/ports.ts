/**
 * What the engine needs from outside, as interfaces only. Adapters implement them; each port has one contract suite
 * in `tests/contract/` that every adapter passes. A port never throws for an expected failure: it answers with one.
 *
 * @module
 */
import type { Json, JsonObject } from "./json/mod.ts";

/** An answer from outside: the JSON that came back, or why there is none. */
export type Answer =
  | { readonly ok: true; readonly status: number; readonly body: Json }
  | {
    readonly ok: false;
    readonly status: number | undefined;
    readonly message: string;
    readonly body?: Json;
  };

/** One call to the Kubernetes API. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query, from the root: `/api/v1/namespaces/default/configmaps?labelSelector=a%3Db`. */
  readonly path: string;
  readonly body?: Json;
  /** Of the body: `application/json` when absent, `application/apply-patch+yaml` for server-side apply. */
  readonly contentType?: string;
  /** The media types of the answer; `application/json` when absent. */
  readonly accept?: string;
  /** Ends the call early: the request's deadline. */
  readonly signal?: AbortSignal;
}

/** Where a kind lives in the API. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** A Kubernetes API: the live API server, or the embedded cluster of YAML files. */
export interface Cluster {
  call(call: ApiCall): Promise<Answer>;
  /** The API resource of a kind (`apps/v1`, `Deployment`), or `undefined` when the cluster does not serve it. */
  resource(apiVersion: string, kind: string): Promise<ApiResource | undefined>;
}

/** A resource as a cluster serves it, with its subresources. */
export interface ServedResource extends ApiResource {
  readonly verbs: readonly string[];
  /** Names without the resource: `status`, `scale`, with the kind that each one takes. */
  readonly subresources: readonly { readonly name: string; readonly kind: string }[];
  /** Whether this is the version that the cluster prefers of the resource's group. */
  readonly preferred: boolean;
}

/** Everything that a cluster serves. */
export interface Discovery {
  /** All resources, read at most every few seconds. An answer that is not complete is a failure. */
  resources(): Promise<
    { readonly ok: true; readonly resources: readonly ServedResource[] } | {
      readonly ok: false;
      readonly message: string;
    }
  >;
}

/** What became of one object of a watched collection. Objects have their kind and apiVersion, and no managed fields. */
export interface ObjectChange {
  /** As it is now; `undefined` when it is gone. */
  readonly object: JsonObject | undefined;
  /** As it was last known; `undefined` when it is new. */
  readonly former: JsonObject | undefined;
}

/** All objects of one kind, kept current by list and watch. */
export interface Collection {
  /** The objects as they were last known. */
  objects(): readonly JsonObject[];
  /** Resolves when the objects were listed for the first time, or when the kind was found not to be served or readable. */
  readonly synced: Promise<void>;
  /** Ends the watch. */
  close(): Promise<void>;
}

/** How a collection is watched. */
export interface WatchOptions {
  /**
   * What is kept of an object in memory; the whole object when absent. The object of a change is always whole, the former one
   * is what was kept. Metadata with name, namespace and resourceVersion must be kept.
   */
  readonly keep?: (object: JsonObject) => JsonObject;
}

/** Collections of objects that can be watched. A change is followed by the next one when what `changed` returns has settled. */
export interface Collections {
  /** Watches all objects below a path (`/apis/kyverno.io/v1/clusterpolicies`), also when the kind is only served later. */
  watch(
    path: string,
    changed: (change: ObjectChange) => void | Promise<void>,
    options?: WatchOptions,
  ): Collection;
}

/** A call to a service outside the API server. */
export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** PEM certificates that replace the system's roots. */
  readonly caBundle?: string;
  /** The namespace of the Policy that calls; absent for policies of the whole cluster. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** Calls to services that policies name. */
export interface Http {
  call(call: HttpCall): Promise<Answer>;
}

/** Credentials that a policy gives for a registry. */
export interface RegistryCredentials {
  readonly allowInsecureRegistry?: boolean;
  readonly providers?: readonly string[];
  /** Names of image pull secrets: of Postern's own namespace, or `NAMESPACE/NAME`. */
  readonly secrets?: readonly string[];
}

/** Container image registries. */
export interface Registry {
  /** The image's record: image, resolvedImage, registry, repository, identifier, manifest, manifestList, configData. */
  image(reference: string, credentials?: RegistryCredentials, signal?: AbortSignal): Promise<Answer>;
}

/** Entries of the global context, kept up to date by whoever owns them. */
export interface GlobalEntries {
  entry(name: string): Promise<Answer>;
}

/** Where the signatures of an image are kept, and in which format. */
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

/** Who must have signed. The texts are those of the policy; the adapter parses them and keeps what it parsed. */
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
  }
  | {
    readonly kind: "keyless";
    /** The signature must fulfil one of them; any certificate of the roots passes when there are none. */
    readonly identities: readonly Identity[];
    /** `wildcards`: issuer, subject and extensions may have `*` and `?`. */
    readonly compare: "wildcards" | "literally";
    /** PEM; the trusted root judges when it is empty. */
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

/** Which transparency logs and timestamp authorities a signature is held against; an empty text means the trusted root. */
export interface LogTrust {
  readonly ignoreTlog: boolean;
  /** Where entries are looked up that a signature does not carry. */
  readonly rekorUrl: string;
  readonly rekorKey: string;
  readonly ignoreSct: boolean;
  readonly ctlogKey: string;
  /** PEM: leaf (optional), intermediates, root. No timestamp is demanded when it is empty. */
  readonly tsaChain: string;
  /** A trusted root in sigstore's JSON that replaces the installation's; empty for none. */
  readonly trustedRoot: string;
  /** A TUF mirror whose trusted root replaces the installation's; the adapter knows it by this address. */
  readonly tufMirror: string;
}

/** One entry of a policy, with its defaults filled in, about one image. */
export interface SignatureQuestion {
  /** With registry, and with tag or digest: the digest wins. */
  readonly image: string;
  readonly layout: SignatureLayout;
  /**
   * `signature`: any signature of the image. `attestations`: all statements that verify; `type` is the predicate type
   * of the entry (only its statements need the identity), for Notary the artifact type of the referrer.
   */
  readonly want: "signature" | { readonly attestations: string };
  readonly by: Signer;
  readonly log: LogTrust;
  /** Must be in the signature; for Notary ignored. */
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * `payload`: what the signer signed, as in `verifyImages`. `layer`: the annotations of the signature's layer, as in
   * ImageValidatingPolicy, which also takes a certificate with its chain as the logs say.
   */
  readonly annotationsIn: "payload" | "layer";
  /** The repository that holds the signatures; the image's own when empty. */
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

/** A signature that was looked at, for explanations: its digest, and why it does not count (empty: it does). */
export interface SignatureTried {
  readonly digest: string;
  readonly why: string;
}

/** What is known of the signatures of an image. */
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
export interface SignedTextQuestion {
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

/** The digest that a registry has for an image, or in its words why there is none. */
export type DigestAnswer =
  | { readonly ok: true; readonly digest: string }
  | {
    readonly ok: false;
    readonly why: "refused" | "no connection";
    /** `GET http://…/manifests/v1: MANIFEST_UNKNOWN: manifest unknown`. */
    readonly message: string;
  };

/** Signatures of images and of texts: registries, transparency logs and cryptography behind one question and one answer. */
export interface Signatures {
  verify(question: SignatureQuestion, signal?: AbortSignal): Promise<SignatureAnswer>;
  verifyText(question: SignedTextQuestion, signal?: AbortSignal): Promise<SignedTextAnswer>;
  /** The digest of an image's manifest or index, from the registry; one in the text is not looked up. */
  digest(image: string, credentials: RegistryCredentials, signal?: AbortSignal): Promise<DigestAnswer>;
  /**
   * For Notary and ImageValidatingPolicy: the JSON of the one layer of an image's referrer of an artifact type, whether or
   * not somebody signed it.
   */
  referrer(question: ReferrerQuestion, signal?: AbortSignal): Promise<Answer>;
}

/** An artifact that refers to an image. */
export interface ReferrerQuestion {
  readonly image: string;
  readonly artifactType: string;
  readonly credentials: RegistryCredentials;
}

/** Time. */
export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
}

/** Randomness: a number from 0 up to, and without, 1. */
export interface Entropy {
  next(): number;
}

/** Shares the thread among requests, so that one that takes long does not keep the others waiting. */
export interface Scheduler {
  /** Milliseconds that may be worked at a stretch. */
  readonly sliceMilliseconds: number;
  /** Lets others work; to be awaited once a slice is used up. */
  pause(): Promise<void>;
}

/** What a line of the log has beside the fields of every line; a cause is called `cause`. */
export type LogFields = JsonObject & Readonly<Partial<Record<"time" | "level" | "message", never>>>;

/** One line of the log. */
export interface Log {
  write(level: "debug" | "info" | "warn" | "error", message: string, fields?: LogFields): void;
  /** Whether lines of a level are written at all, which spares making their fields; they are when it does not say. */
  writes?(level: "debug" | "info" | "warn" | "error"): boolean;
}

/** Everything that evaluation reads from outside the request. */
export interface Ports {
  readonly cluster: Cluster;
  readonly http: Http;
  readonly registry: Registry;
  readonly globals: GlobalEntries;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Evaluation never pauses without one: for programs that have nothing else to do. */
  readonly scheduler?: Scheduler;
  /** Absent where nothing can verify signatures, such as in a browser. */
  readonly signatures?: Signatures;
}
