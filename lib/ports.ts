/**
 * The interfaces through which the engine reaches the cluster, services, registries, the clock and randomness.
 * Adapters implement them; each port has one contract suite in `tests/contract/` that every adapter passes. A port
 * never throws for an expected failure: it answers with one.
 *
 * @module
 */
import type { Json, JsonObject } from "./json/mod.ts";
import type { Answer } from "./ports/answer.ts";
import type { RegistryCredentials, Signatures } from "./ports/signatures.ts";

export type { Answer } from "./ports/answer.ts";
export type {
  DigestAnswer,
  Identity,
  LogTrust,
  ReferrerQuery,
  RegistryCredentials,
  SignatureAnswer,
  SignatureLayout,
  SignatureQuery,
  Signatures,
  SignatureTried,
  SignedTextAnswer,
  SignedTextQuery,
  Signer,
  Statement,
  WantedAttestations,
} from "./ports/signatures.ts";

/** How long the answer to a call stays in memory: until the evaluation that made the call has ended. */
export interface Lifetime {
  /** Calls a function when it ends, at once when it has ended. */
  whenEnded(free: () => void): void;
  /** Set while calls wait for something besides their answers, for the message when the deadline passes. */
  waitsFor?: string | undefined;
}

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
  /** Absent when the answer does not stay in memory, or the caller counts it. */
  readonly lifetime?: Lifetime;
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
  /**
   * The answer to a GET of a path that the cluster has in memory and keeps up to date; `undefined` when it takes a
   * call. Requests that read no more than this wait for nothing.
   */
  inMemory?(path: string): Answer | undefined;
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
  /** Makes {@link resources} read them again, because a definition changed. */
  expire?(): void;
}

/** A change of one object of a watched collection. Objects have their kind and apiVersion, and no managed fields. */
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
  /** Set when objects are missing, as they take too much memory. */
  readonly leftOut?: LeftOutObjects | undefined;
  /**
   * Resolves when the objects were listed for the first time, or when the kind was found not to be served or readable.
   */
  readonly synced: Promise<void>;
  /** Ends the watch. */
  close(): Promise<void>;
}

/** Objects that take too much memory to be kept. */
export interface LeftOutObjects {
  readonly message: string;
  /** The namespaces of the objects, "" for objects of the cluster; `undefined` when there are too many to say. */
  readonly namespaces: ReadonlySet<string> | undefined;
}

/** How a collection is watched. */
export interface WatchOptions {
  /**
   * Reduces an object to the fields to keep in memory; when absent, the whole object is kept. The object of a change
   * is always whole; the former object is the reduced one. The metadata's name, namespace and resourceVersion must be
   * kept.
   */
  readonly keep?: (object: JsonObject) => JsonObject;
  /**
   * Set when the metadata of a changed object is enough: an object is whole when it is listed, and has its metadata
   * alone when it changes later. For many large objects that mostly the watcher itself writes.
   */
  readonly changes?: "metadata";
  /** Called when objects that were left out are gone or kept now, in addition to calls for changed objects. */
  readonly leftOutChanged?: () => void;
}

/** Collections of objects that can be watched. The next change follows after the promise of `changed` ends. */
export interface Collections {
  /**
   * Watches all objects below a path (`/apis/kyverno.io/v1/clusterpolicies`), also when the kind is only served later.
   */
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
  /** Absent when the answer does not stay in memory, or the caller counts it. */
  readonly lifetime?: Lifetime;
}

/** Calls to services that policies name. */
export interface Http {
  call(call: HttpCall): Promise<Answer>;
}

/** Container image registries. */
export interface Registry {
  /** The image's record: image, resolvedImage, registry, repository, identifier, manifest, manifestList, configData. */
  image(reference: string, credentials?: RegistryCredentials, signal?: AbortSignal): Promise<Answer>;
}

/** Entries of the global context, which their owner keeps up to date. */
export interface GlobalEntries {
  entry(name: string): Promise<Answer>;
}

/** Time. */
export interface Clock {
  /** Milliseconds since 1970 in UTC: for dates. It jumps when the system's clock is set. */
  now(): number;
  /** Milliseconds since any moment, which no setting of the clock changes: for durations. `now` serves when absent. */
  elapsed?(): number;
}

/** A time that only its distance from other such times gives a meaning: deadlines and durations, in milliseconds. */
export function elapsedOn(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now();
}

/**
 * Whether a value that was read at a time of `now` is younger than so many milliseconds. A value from the future is not
 * young: after the clock was set back, it would count as young until the clock is as late again.
 */
export function isYounger(clock: Clock, readAt: number, milliseconds: number): boolean {
  const age = clock.now() - readAt;
  return age >= 0 && age < milliseconds;
}

/** Randomness: a number from 0 up to, and without, 1. */
export interface Entropy {
  next(): number;
}

/** Shares the thread among requests, so that one that takes long does not keep the others waiting. */
export interface Scheduler {
  /** Milliseconds that may be worked at a stretch. */
  readonly sliceMilliseconds: number;
  /** Lets others work; to be awaited once a slice is used up. Lanes, such as namespaces, take turns. */
  pause(lane?: string): Promise<void>;
  /** As `pause`, for an evaluation that has not begun: `undefined` unless many of its lane wait. A signal ends it. */
  begin?(lane?: string, signal?: () => AbortSignal): Promise<void> | undefined;
  /** Prepares the process for a slice. `pause` does so itself; to be called before long work that begins at once. */
  beforeSlice?(): void;
}

/** The fields of a log line besides those of every line. A cause is called `cause`. */
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
  /** The objects that expressions in CEL read, where a command line names others than those of the cluster. */
  readonly celObjects?: Cluster;
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
