/**
 * The world as expressions ask for it. Requests are data; whoever evaluates answers them, or notes them and answers
 * {@link pending}, finds the answers, and evaluates again with the same variables.
 *
 * ```ts
 * import { createEnvironment, isCelFault, kyvernoLibraries, pending, type World } from "./mod.ts";
 * import { requestKey, type WorldReply } from "./world.ts";
 * import assert from "node:assert/strict";
 *
 * const answers = new Map<string, WorldReply>();
 * const world: World = {
 *   ask: (request) => answers.get(requestKey(request)) ?? pending(requestKey(request)),
 *   now: () => 0,
 *   random: () => 0.5,
 *   generate: () => undefined,
 * };
 * const compiled = createEnvironment({ variables: {}, libraries: kyvernoLibraries })
 *   .compile("globalContext.Get('limits').max");
 * assert(compiled.ok);
 * const evaluate = () => compiled.program.evaluate(() => undefined, { world });
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

/** Which API resource a kind has. The answer's body is `{group, version, resource}`; status 404 when there is none. */
export type TypeRequest = {
  readonly kind: "type";
  readonly apiVersion: string;
  readonly name: string;
};

/**
 * A call to a service. Its address was checked as far as it is written in the URL; whoever calls asks the same rules
 * about what the host name stands for, and about redirects.
 */
export type HttpRequest = {
  readonly kind: "http";
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** PEM certificates to trust. */
  readonly caBundle?: string;
};

/** An entry of the global context, or one of its projections when `projection` is not empty. */
export type GlobalRequest = {
  readonly kind: "global";
  readonly name: string;
  readonly projection: string;
};

/** What a registry tells about an image. */
export type ImageRequest = {
  readonly kind: "image";
  readonly reference: string;
};

/** The spec of a SubjectAccessReview; the answer's body is the review with its status. */
export type AccessRequest = {
  readonly kind: "access";
  readonly spec: JsonObject;
};

/** What expressions may ask of the world. */
export type WorldRequest =
  | ApiRequest
  | TypeRequest
  | HttpRequest
  | GlobalRequest
  | ImageRequest
  | AccessRequest;

/** An answer of the world: what came back, or why nothing did. The shape is that of the ports' answers. */
export type WorldReply =
  | { readonly ok: true; readonly status: number; readonly body: Json }
  | {
    readonly ok: false;
    readonly status: number | undefined;
    readonly message: string;
    readonly body?: Json;
  };

/** What answers expressions. It answers at once; a value that must be waited for is `pending(…)`. */
export interface World {
  ask(request: WorldRequest): WorldReply | CelFault;
  /** Milliseconds since 1970. It should stay the same for all expressions of a request. */
  now(): number;
  /** A number from 0 up to, and without, 1. */
  random(): number;
  /**
   * Takes the resources that an expression generates into a namespace. An evaluation that has to be repeated generates
   * again: collect anew for each.
   */
  generate(namespace: string, resources: readonly JsonObject[]): CelFault | undefined;
}

/** One text for equal requests, under which an answer can be kept. */
export function requestKey(request: WorldRequest): string {
  return goJson(request as Json);
}

/** The API call that answers a question about access. */
export function accessReviewCall({ spec }: AccessRequest): ApiRequest {
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  return { kind: "api", method: "POST", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", body };
}
