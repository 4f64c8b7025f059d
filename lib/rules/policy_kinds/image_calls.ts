import {
  type CelFault,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  failure,
  type ImageCheckRequest,
  pending as pendingValue,
} from "../../cel/mod.ts";
import type { LoadTracker } from "../../context/mod.ts";
import { asObject, isFault, type Json, type JsonObject, textField } from "../../json/mod.ts";
import { parseImageReference } from "../../kube/mod.ts";
import type { SignatureAnswer, SignatureQuery } from "../../ports.ts";
import {
  loadDigest,
  loadImage,
  loadReferrer,
  loadVerdict,
  pending,
  withPullSecrets,
} from "../verify_images/mod.ts";
import { type FindAttestor, layoutOf, type PolicyAttestor } from "./image_attestors.ts";

/**
 * An attestation of a policy: the type of a statement, that of an artifact which refers to the image, or both. Cosign
 * signs statements, the Notary Project artifacts.
 */
export interface PolicyAttestation {
  readonly intoto: string | undefined;
  readonly referrer: string | undefined;
}

/** The attestors, attestations and loads that the functions of an image policy use for one request. */
export interface ImageCallsOptions {
  readonly usual: ExternalCalls;
  readonly tracker: LoadTracker;
  readonly attestor: FindAttestor;
  readonly attestations: ReadonlyMap<string, PolicyAttestation>;
  /** Whether the policy matches an image; a text says why that is unknown. */
  matches(image: string): boolean | string;
  readonly credentials: Parameters<typeof loadReferrer>[1]["credentials"];
}

/** Answers the functions of an image policy, and remembers which images were verified. */
export class ImageCalls implements ExternalCalls {
  /** The images that an expression verified, and whether one of their signatures was valid. */
  readonly attempts = new Map<string, boolean>();
  readonly #options: ImageCallsOptions;
  /** The statements that a verification of this request proved to be signed, by image and type; artifacts likewise. */
  readonly #statements = new Map<string, Json>();
  /** An artifact that is no JSON is `undefined`. */
  readonly #artifacts = new Map<string, Json | undefined>();

  constructor(options: ImageCallsOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.usual.now();
  }

  random(): number {
    return this.#options.usual.random();
  }

  generate(...args: Parameters<ExternalCalls["generate"]>): ReturnType<ExternalCalls["generate"]> {
    return this.#options.usual.generate(...args);
  }

  call(request: ExternalRequest): ExternalReply | CelFault {
    if (request.kind !== "imageCheck") return this.#options.usual.call(request);
    switch (request.check) {
      case "signatures":
        return this.#unmatched(request.image) ?? this.#count(request, undefined);
      case "attestations":
        return this.#attestations(request);
      case "payload":
        return this.#payload(request);
      case "data":
        return this.#imageData(request.image);
    }
  }

  /**
   * Counts the attestors that signed the image, or an attestation of it. All are verified at once, because the count
   * needs all answers.
   */
  #count(
    { image, attestors }: ImageCheckRequest,
    attestation: PolicyAttestation | undefined,
  ): ExternalReply | CelFault {
    const unread = this.#unread(image);
    if (unread !== undefined) return unread;
    let verified = 0, isOpen = false;
    for (const name of attestors) {
      const attestor = this.#options.attestor(name);
      if (attestor === undefined) return failure(`attestor not found in policy: ${name}`);
      if (isFault(attestor)) return failure(attestor.message);
      const want = wantedOf(attestor, attestation);
      if (attestor.problem !== undefined || want === undefined) continue;
      const answer = this.#verify(image, attestor, { name, want });
      if (answer === undefined) isOpen = true;
      else if (this.#isVerified(image, answer, { attestor, want })) verified++;
    }
    if (isOpen) return pendingValue(`signatures of ${image}`);
    if (attestors.length > 0) this.attempts.set(image, this.attempts.get(image) === true || verified > 0);
    return found(verified);
  }

  /** The reply for an image that the policy does not match; `undefined` for all others. */
  #unmatched(image: string): ExternalReply | CelFault | undefined {
    const isAbout = this.#options.matches(image);
    if (typeof isAbout === "string") return failure(isAbout);
    return isAbout ? undefined : found(0);
  }

  /**
   * Why an image cannot be read; `undefined` when it can. Kyverno parity: Postern reads the image before it
   * checks any attestor. Pinned by tests/rules/verify_images/image_validating_test.ts.
   */
  #unread(image: string): ExternalReply | CelFault | undefined {
    const { tracker, credentials } = this.#options;
    const answer = loadDigest(tracker, image, credentials);
    if (answer === pending) return pendingValue(`digest of ${image}`);
    return answer.ok ? undefined : failure(`failed to get imagedata: ${answer.message}`);
  }

  #isVerified(
    image: string,
    answer: SignatureAnswer,
    { attestor, want }: { readonly attestor: PolicyAttestor; readonly want: SignatureQuery["want"] },
  ): boolean {
    if (!answer.ok) return false;
    if (want === "signature") return true;
    // Kyverno parity: of several statements of a type the last is the payload. Pinned by "of several statements of a
    // type the last one is the payload, as signers add theirs at the end".
    const statement = answer.statements.findLast(({ type }) => type === want.attestations);
    const key = `${image} ${want.attestations}`;
    if (attestor.kind === "notary") this.#artifacts.set(key, statement?.statement);
    else if (statement !== undefined) this.#statements.set(key, statement.statement);
    return attestor.kind === "notary" || statement !== undefined;
  }

  #verify(
    image: string,
    attestor: PolicyAttestor,
    { name, want }: { readonly name: string; readonly want: SignatureQuery["want"] },
  ): SignatureAnswer | undefined {
    const { tracker, credentials } = this.#options;
    const { kind, by, log, annotations, repository, tagPrefix, pullSecrets } = attestor;
    const answer = loadVerdict(tracker, {
      image,
      layout: layoutOf(kind),
      want,
      by,
      log,
      annotations,
      annotationsIn: "layer",
      repository,
      tagPrefix,
      credentials: withPullSecrets(credentials, pullSecrets),
      useCache: true,
    });
    if (answer === pending) return undefined;
    const failure = answer.ok ? "" : answer.message;
    tracker.observer?.attestor({ image, path: `.attestors.${name}`, failure, tried: answer.tried });
    return answer;
  }

  #attestations(request: ImageCheckRequest): ExternalReply | CelFault {
    const unmatched = this.#unmatched(request.image);
    if (unmatched !== undefined) return unmatched;
    const attestation = this.#options.attestations.get(request.attestation);
    if (attestation === undefined) return failure(`attestation not found in policy: ${request.attestation}`);
    const hasNotary = request.attestors.some((name) => {
      const attestor = this.#options.attestor(name);
      return !isFault(attestor) && attestor?.kind === "notary";
    });
    if (hasNotary && attestation.referrer === undefined) {
      return failure("notary verifier only supports oci 1.1 referrers as attestations");
    }
    return this.#count(request, attestation);
  }

  #payload({ image, attestation: name }: ImageCheckRequest): ExternalReply | CelFault {
    const attestation = this.#options.attestations.get(name);
    if (attestation === undefined) return failure(`attestation not found in policy: ${name}`);
    const { intoto, referrer = "" } = attestation;
    if (intoto !== undefined) {
      const statement = this.#statements.get(`${image} ${intoto}`);
      return statement === undefined
        ? failure(
          "failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation",
        )
        : found(asObject(statement) ?? {});
    }
    const unreadable = `failed to get payload: failed to unmarshal json for attestation ${name}`;
    // The verified one, not the one that the registry lists first by now.
    const key = `${image} ${referrer}`;
    if (this.#artifacts.has(key)) {
      const artifact = this.#artifacts.get(key);
      return artifact === undefined ? failure(unreadable) : found(artifact);
    }
    const { tracker, credentials } = this.#options;
    const answer = loadReferrer(tracker, { image, artifactType: referrer, credentials });
    if (answer === pending) return pendingValue(`referrer of ${image}`);
    if (answer.ok) return found(answer.body);
    return failure(
      answer.message === "failed to unmarshal json" ? unreadable : `failed to get payload: ${answer.message}`,
    );
  }

  #imageData(image: string): ExternalReply | CelFault {
    const { tracker, credentials } = this.#options;
    const answer = loadImage(tracker, image, credentials);
    if (answer === pending) return pendingValue(`image ${image}`);
    if (!answer.ok) return failure(`failed to get imagedata: ${withoutImage(answer.message)}`);
    return found(imageData(image, asObject(answer.body) ?? {}));
  }
}

/**
 * The content that an attestor must have signed; `undefined` when it signs none of that kind. Kyverno parity: of an
 * attestation that names both, Cosign verifies the statement and the Notary Project the artifact. Pinned by "an
 * attestation that names a statement and an artifact means the one that its attestor signs".
 */
function wantedOf(
  { kind }: PolicyAttestor,
  attestation: PolicyAttestation | undefined,
): SignatureQuery["want"] | undefined {
  if (attestation === undefined) return "signature";
  const { intoto, referrer } = attestation;
  if (kind === "notary") return referrer === undefined ? undefined : { attestations: referrer, any: true };
  return intoto === undefined ? undefined : { attestations: intoto };
}

/** The message of a registry's failure, without the image. */
export function withoutImage(message: string): string {
  return message.replace(/^failed to fetch image reference: [^]*?, error: /, "");
}

function found(body: Json): ExternalReply {
  return { ok: true, status: 200, body };
}

/**
 * The record of an image, with the names of its fields in the spelling of Kyverno's documentation and in that of Go.
 */
function imageData(image: string, record: JsonObject): JsonObject {
  const reference = parseImageReference(image);
  const parsed = isFault(reference) ? { tag: "", digest: "" } : reference;
  const resolved = textField(record, "resolvedImage");
  const config = record["configData"] ?? null;
  const fields: Record<string, Json> = {
    image: record["image"] ?? image,
    resolvedImage: resolved,
    registry: record["registry"] ?? "",
    repository: record["repository"] ?? "",
    identifier: record["identifier"] ?? "",
    tag: parsed.tag,
    digest: parsed.digest || resolved.slice(resolved.indexOf("@") + 1),
    imageIndex: record["manifestList"] ?? null,
    manifest: record["manifest"] ?? null,
    configData: config,
  };
  const asInGo = Object.entries(fields).map(([name, value]) =>
    [`${name[0]!.toUpperCase()}${name.slice(1)}`, value] as const
  );
  return { ...fields, config, ...Object.fromEntries(asInGo) };
}
