/**
 * The external calls of expressions: to the Kubernetes API, to services, registries and the global context. Requests
 * are data. The caller of the evaluation answers each one at once, or with {@link pending}; then it loads the answer
 * and evaluates again with the same variables.
 *
 * ```ts
 * import { createEnvironment, isCelFault, kyvernoLibraries, pending, type ExternalCalls } from "./mod.ts";
 * import { requestKey, type ExternalReply } from "./external_calls.ts";
 * import assert from "node:assert/strict";
 *
 * const answers = new Map<string, ExternalReply>();
 * const external: ExternalCalls = {
 *   call: (request) => answers.get(requestKey(request)) ?? pending(requestKey(request)),
 *   now: () => 0,
 *   random: () => 0.5,
 *   generate: () => undefined,
 * };
 * const compiled = createEnvironment({ variables: {}, libraries: kyvernoLibraries })
 *   .compile("globalContext.Get('limits').max");
 * assert(compiled.ok);
 * const evaluate = () => compiled.program.evaluate(() => undefined, { external });
 * const first = evaluate();
 * assert(isCelFault(first) && first.kind === "pending");
 * answers.set(requestKey({ kind: "global", name: "limits", projection: "" }), { ok: true, status: 200, body: { max: 5 } });
 * assert.equal(evaluate(), 5);
 * ```
 */
import { goJson, type Json, type JsonObject } from "../json/mod.ts";
import type { CelFault } from "./fault.ts";

/** A call to the Kubernetes API. `path` begins at the root and may have a query. */
export type ApiRequest = {
  readonly kind: "api";
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Json;
};

/**
 * A look-up of a kind's API resource. The answer's body is `{group, version, resource}`; status 404 when there is
 * none.
 */
export type TypeRequest = {
  readonly kind: "type";
  readonly apiVersion: string;
  readonly name: string;
};

/**
 * A call to a service. The address rules have accepted the URL; the caller must apply the same rules to the addresses
 * of the host name and to redirects.
 */
export type HttpRequest = {
  readonly kind: "http";
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** The PEM certificates to trust. */
  readonly caBundle?: string;
};

/** An entry of the global context, or one of its projections when `projection` is not empty. */
export type GlobalRequest = {
  readonly kind: "global";
  readonly name: string;
  readonly projection: string;
};

/** The metadata of an image from its registry. */
export type ImageRequest = {
  readonly kind: "image";
  readonly reference: string;
};

/** The spec of a SubjectAccessReview; the answer's body is the review with its status. */
export type AccessRequest = {
  readonly kind: "access";
  readonly spec: JsonObject;
};

/** The calls of an image policy about an image: its signers, the statements about it, its record in the registry. */
export type ImageCheckRequest = {
  readonly kind: "imageCheck";
  readonly check: "signatures" | "attestations" | "payload" | "data";
  readonly image: string;
  /** The name of an attestation of the policy; empty for the image itself. */
  readonly attestation: string;
  /** Names of attestors of the policy. */
  readonly attestors: readonly string[];
};

/** A call from an expression to a port. */
export type ExternalRequest =
  | ApiRequest
  | TypeRequest
  | HttpRequest
  | GlobalRequest
  | ImageRequest
  | ImageCheckRequest
  | AccessRequest;

/** The answer to a call, or why there is none, in the shape of the ports' answers. */
export type ExternalReply =
  | { readonly ok: true; readonly status: number; readonly body: Json }
  | {
    readonly ok: false;
    readonly status: number | undefined;
    readonly message: string;
    readonly body?: Json;
  };

/**
 * Answers the calls of expressions. It answers at once: with a value, a failure, or `pending(…)` for a value that
 * must be loaded.
 */
export interface ExternalCalls {
  call(request: ExternalRequest): ExternalReply | CelFault;
  /** Milliseconds since 1970. It should stay the same for all expressions of a request. */
  now(): number;
  /** A number from 0 up to 1, without 1. */
  random(): number;
  /**
   * Collects the resources that an expression generates into a namespace. An evaluation that is repeated generates them
   * again, so start each evaluation with an empty collection.
   */
  generate(namespace: string, resources: readonly JsonObject[]): CelFault | undefined;
}

/** A key for the answers of equal requests. */
export function requestKey(request: ExternalRequest): string {
  return goJson(request as Json);
}

/** The API call that answers a check of access. */
export function accessReviewCall({ spec }: AccessRequest): ApiRequest {
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  return { kind: "api", method: "POST", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", body };
}
