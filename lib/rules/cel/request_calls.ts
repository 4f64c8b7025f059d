import {
  accessReviewCall,
  type ApiRequest,
  type CelFault,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  failure,
  type ImageCheckRequest,
  pending,
  requestKey,
} from "../../cel/mod.ts";
import type { Context, LoadTracker } from "../../context/mod.ts";
import { asString, field, isFault, isObject, type Json, type JsonObject, textField } from "../../json/mod.ts";
import type { Answer } from "../../ports.ts";
import type { RuleInput } from "../rule_kind.ts";

/** Receives the objects that expressions generate. */
export type Generate = ExternalCalls["generate"];

const generatesNothing: Generate = () => failure("only generating policies generate");

/** The external calls of one request's expressions. A request makes each call once. */
export function requestHost(
  { context }: Pick<RuleInput, "context">,
  generate: Generate = generatesNothing,
): ExternalCalls {
  return new RequestCalls(context, generate);
}

class RequestCalls implements ExternalCalls {
  readonly #context: Context;
  readonly generate: Generate;

  constructor(context: Context, generate: Generate) {
    this.#context = context;
    this.generate = generate;
  }

  call(request: ExternalRequest): ExternalReply | CelFault {
    if (request.kind === "imageCheck") return failure("only image policies verify images");
    return loadThrough(this.#context.tracker, request);
  }

  now(): number {
    return this.#context.environment.now();
  }

  random(): number {
    return this.#context.environment.random();
  }
}

/** The external requests that ports answer. Image checks are answered elsewhere. */
type PortRequest = Exclude<ExternalRequest, ImageCheckRequest>;

function loadThrough(tracker: LoadTracker, request: PortRequest): ExternalReply | CelFault {
  const absent = absence(tracker, request);
  if (absent !== undefined) return absent;
  const key = requestKey(request);
  const pendingReads = tracker.pendingReads;
  const answer = tracker.load(shownName(request), async () => jsonOf(await putToPort(tracker, request)), key);
  if (tracker.pendingReads !== pendingReads) return pending(key);
  return isFault(answer) ? failure(answer.message) : replyOf(answer);
}

/** An external request for explanations and messages, without headers and bodies, which may hold secrets. */
function shownName(request: PortRequest): string {
  switch (request.kind) {
    case "api":
      return `${request.method} ${request.path}`;
    case "http":
      return `${request.method} ${request.url}`;
    case "image":
      return `image ${request.reference}`;
    case "global":
      return `global context ${request.name}`;
    case "type":
      return `type ${request.apiVersion} ${request.name}`;
    case "access":
      return "access review";
  }
}

/**
 * The reply for a source that is absent: not found, in the words of Kyverno's command line. `undefined` when the
 * source is served.
 */
function absence(tracker: LoadTracker, request: PortRequest): ExternalReply | undefined {
  switch (request.kind) {
    case "api":
      return tracker.ports.celObjects !== undefined || tracker.serves("downstream")
        ? undefined
        : notFound(`${groupResource(request.path)} resource not found`);
    case "access":
      return tracker.serves("downstream") ? undefined : nobodyAllows;
    case "global":
      return tracker.serves("globalReference") ? undefined : notFound("not found");
    case "image":
      return tracker.serves("imageRegistry")
        ? undefined
        : notFound(`image data for ${request.reference} not found in the context`);
    default:
      return undefined;
  }
}

/** The plural and group that a path of the Kubernetes API names, as in `ingresses.networking.k8s.io`. */
function groupResource(path: string): string {
  const named = /^\/api(?:s\/([^/]+))?\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/?]+)/.exec(path);
  return [named?.[2] ?? path, named?.[1] ?? []].flat().join(".");
}

/** The reply without a cluster: no role allows anything. */
const nobodyAllows: ExternalReply = { ok: true, status: 201, body: { status: { allowed: false } } };

function notFound(message: string): ExternalReply {
  return { ok: false, status: 404, message };
}

function putToPort(tracker: LoadTracker, request: PortRequest): Promise<Answer> {
  const { ports, call } = tracker;
  switch (request.kind) {
    case "api":
      return callApi(tracker, request);
    case "access":
      return callApi(tracker, accessReviewCall(request));
    case "type":
      return resourceOf(tracker, request.apiVersion, request.name);
    case "http": {
      const { kind: _, ...rest } = request;
      return ports.http.call({ ...rest, ...call });
    }
    case "global":
      return ports.globals.entry(
        request.projection === "" ? request.name : `${request.name}.${request.projection}`,
      );
    case "image":
      return ports.registry.image(request.reference, undefined, call.signal);
  }
}

async function callApi(
  { ports, call }: LoadTracker,
  { method, path, body }: ApiRequest,
): Promise<Answer> {
  const objects = ports.celObjects ?? ports.cluster;
  const answer = await objects.call({ method, path, ...(body !== undefined && { body }), ...call });
  return answer.ok ? { ...answer, body: withItemKinds(answer.body) } : answer;
}

/**
 * Adds kind and apiVersion to the items of a list: the API server leaves them out for built-in kinds, and clients add
 * them.
 */
function withItemKinds(body: Json): Json {
  const listKind = textField(body, "kind");
  const items = field(body, "items");
  if (!isObject(body) || !listKind.endsWith("List") || !Array.isArray(items)) return body;
  const apiVersion = asString(body["apiVersion"]) ?? "";
  const kind = listKind.slice(0, -"List".length);
  return { ...body, items: items.map((item) => isObject(item) ? { apiVersion, kind, ...item } : item) };
}

async function resourceOf({ ports }: LoadTracker, apiVersion: string, kind: string): Promise<Answer> {
  const resource = await ports.cluster.resource(apiVersion, kind);
  if (resource === undefined) {
    return { ok: false, status: 404, message: `no kind "${kind}" in ${apiVersion}` };
  }
  const { group, version, plural } = resource;
  return { ok: true, status: 200, body: { group, version, resource: plural } };
}

/** An answer in the form in which the load tracker caches it. */
function jsonOf(answer: Answer): JsonObject {
  const { ok, status = null } = answer;
  if (answer.ok) return { ok, status, body: answer.body };
  return { ok, status, message: answer.message, ...(answer.body !== undefined && { body: answer.body }) };
}

function replyOf(answer: Json): ExternalReply {
  const status = field(answer, "status");
  const code = typeof status === "number" ? status : undefined;
  const body = field(answer, "body");
  if (field(answer, "ok") === true) return { ok: true, status: code ?? 200, body: body ?? null };
  const message = textField(answer, "message");
  return { ok: false, status: code, message, ...(body !== undefined && { body }) };
}
