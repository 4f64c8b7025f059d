import { asList, asObject, equal, type Fault, field, type Json, type JsonObject } from "../json/mod.ts";
import type { Clock, Entropy } from "../ports.ts";
import { completed } from "./defaults.ts";
import type { Kinds, ServedKind } from "./kinds.ts";
import { serverFields } from "./managed_fields.ts";
import { isDefinition } from "./object_rules.ts";
import { namespacedNameOf, shown } from "./read.ts";
import { invalid, type Reply, replyWith } from "./reply.ts";
import type { Store } from "./store.ts";

/** Applies a patch document to an object; a fault says why it cannot be applied. */
export type Patch = (object: Json, patch: Json) => Json | Fault;

/** The store, the kinds and the ports of a write. */
export interface Writing {
  readonly store: Store;
  readonly kinds: Kinds;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The patch types by content type, besides merge patch and apply, which are built in. */
  readonly patches: Readonly<Record<string, Patch>>;
}

/** A write request with a parsed path. */
export interface WriteRequest {
  readonly kind: ServedKind;
  /** The namespace; empty for cluster-wide objects. */
  readonly namespace: string;
  /** The name; empty for a collection. */
  readonly name: string;
  /** The subresource; empty for the object itself. */
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly contentType: string;
}

/** A change that can be stored. */
export interface CommittedChange {
  readonly status: 200 | 201;
  /** The stored object; `undefined` for a new one. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
}

/** Stores a change, unless it changes nothing or is a dry run, and replies with the object. */
export function commit(writing: Writing, { kind, query }: WriteRequest, change: CommittedChange): Reply {
  const refusal = dryRunRefusal(query);
  if (refusal !== undefined) return refusal;
  const { status, before } = change;
  const after = completed(change.after);
  if (before !== undefined && equal(before, after)) return replyWith(shown(kind, before), status);
  const counted = withGeneration(before, after);
  if (isDryRun(query)) return replyWith(shown(kind, counted), status);
  const stored = numbered(writing.store, counted);
  if (before !== undefined && isFinished(stored)) {
    const { namespace, name } = namespacedNameOf(stored);
    writing.store.remove(kind, namespace, name);
  } else writing.store.put(kind, stored);
  if (isDefinition(kind)) writing.kinds.define(stored);
  return replyWith(shown(kind, stored), status);
}

/** The object with the resourceVersion of its change. */
export function numbered(store: Store, object: JsonObject): JsonObject {
  const metadata = asObject(object["metadata"]) ?? {};
  return { ...object, metadata: { ...metadata, resourceVersion: store.nextVersion() } };
}

/** Whether the request is a dry run. */
export function isDryRun(query: URLSearchParams): boolean {
  return query.has("dryRun");
}

/** Why the `dryRun` parameter is wrong, if it is. */
export function dryRunRefusal(query: URLSearchParams): Reply | undefined {
  const wrong = query.getAll("dryRun").filter((each) => each !== "All");
  if (wrong.length === 0) return undefined;
  return invalid({ type: "CreateOptions.meta.k8s.io", group: "meta.k8s.io", name: "" }, [{
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${JSON.stringify(wrong)}: supported values: "All"`,
    field: "dryRun",
  }]);
}

/** The new object with the fields of the live one that this write cannot change. */
export function withFixedParts(live: JsonObject, next: JsonObject, part: "main" | "status"): JsonObject {
  if (part === "status") return withStatus(live, next["status"]);
  const was = asObject(live["metadata"]) ?? {};
  const fixed: { [name: string]: Json } = {};
  for (const name of serverFields) {
    if (was[name] !== undefined) fixed[name] = was[name];
  }
  return {
    ...next,
    apiVersion: live["apiVersion"]!,
    kind: live["kind"]!,
    metadata: { ...asObject(next["metadata"]), ...fixed },
  };
}

/** The object with another status, or without one. */
export function withStatus(object: JsonObject, status: Json | undefined): JsonObject {
  const { status: _former, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

/** Whether an object is marked for deletion and its last finalizer is gone. */
function isFinished(object: JsonObject): boolean {
  const metadata = object["metadata"];
  return field(metadata, "deletionTimestamp") !== undefined &&
    asList(field(metadata, "finalizers")).length === 0;
}

function withGeneration(before: JsonObject | undefined, after: JsonObject): JsonObject {
  const metadata = asObject(after["metadata"]) ?? {};
  const generation = metadata["generation"];
  if (before === undefined || typeof generation !== "number") return after;
  if (equal(before["spec"] ?? null, after["spec"] ?? null)) return after;
  return { ...after, metadata: { ...metadata, generation: generation + 1 } };
}
