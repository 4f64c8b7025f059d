/**
 * What the engine needs from the world, as interfaces only. Adapters implement them; each port has one contract suite
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

/** A call to a service outside the API server. */
export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** PEM certificates that replace the system's roots. */
  readonly caBundle?: string;
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

/** Time. */
export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
}

/** Randomness: a number from 0 up to, and without, 1. */
export interface Entropy {
  next(): number;
}

/** One line of the log. */
export interface Log {
  write(level: "debug" | "info" | "warn" | "error", message: string, fields?: JsonObject): void;
  /** Whether lines of a level are written at all, which spares making their fields; they are when it does not say. */
  writes?(level: "debug" | "info" | "warn" | "error"): boolean;
}

/** Everything that evaluation may ask of the world. */
export interface Ports {
  readonly cluster: Cluster;
  readonly http: Http;
  readonly registry: Registry;
  readonly globals: GlobalEntries;
  readonly clock: Clock;
  readonly entropy: Entropy;
}
