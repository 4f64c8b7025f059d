import { asList, asObject, dig, equal, field, type Json, type JsonObject } from "../json/mod.ts";
import { formatTimestamp, nameOf, namespaceOf, objectPath } from "../kube/mod.ts";
import type { Clock, Cluster, Log } from "../ports.ts";
import type { PolicyObjectKind } from "../policy/mod.ts";
import { isRetryable } from "./repeated_call.ts";

/** The ports of the status writer. */
export interface StatusWriterOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
}

/** A condition of a status without its time. */
export interface StatusCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** How a write of a status ended. `failed`: another try may succeed. `refused`: none will. */
export type StatusWritten = "current" | "written" | "refused" | "failed";

/**
 * Writes statuses of policy objects through the status subresource, if they changed. A condition keeps its time as
 * long as its status stays (Kubernetes API conventions).
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Sets fields of an object's status; `null` removes one, and other fields stay. */
  async write(kind: PolicyObjectKind, object: JsonObject, status: JsonObject): Promise<StatusWritten> {
    const present = asObject(field(object, "status")) ?? {};
    const wanted = this.#timed(status, present) as JsonObject;
    if (Object.entries(wanted).every(([name, value]) => hasValue(present[name], value))) return "current";
    const { cluster, log } = this.#options;
    const path = objectPath(kind, {
      namespace: namespaceOf(object),
      name: nameOf(object),
      subresource: "status",
    });
    const answer = await cluster.call({
      method: "PATCH",
      path,
      body: { status: replacing(present, wanted) },
      contentType: "application/merge-patch+json",
    });
    if (answer.ok) return "written";
    if (answer.status !== 404) {
      log.write("warn", "status not written", {
        kind: kind.kind,
        name: nameOf(object),
        reason: answer.message,
      });
    }
    return isRetryable(answer.status) ? "failed" : "refused";
  }

  /** Sets the time of every condition, at any depth. */
  #timed(value: Json, present: Json | undefined): Json {
    if (Array.isArray(value)) {
      return value.map((each) => {
        const former = asList(present).find((other) => field(other, "type") === field(each, "type"));
        return isCondition(each) ? this.#withTime(each, former) : each;
      });
    }
    const object = asObject(value);
    if (object === undefined) return value;
    return Object.fromEntries(
      Object.entries(object).map(([name, each]) => [name, this.#timed(each, dig(present, name))]),
    );
  }

  #withTime(condition: JsonObject, former: Json | undefined): JsonObject {
    const kept = field(former, "status") === condition["status"]
      ? field(former, "lastTransitionTime")
      : undefined;
    const now = formatTimestamp(this.#options.clock.now());
    return { ...condition, lastTransitionTime: kept ?? now };
  }
}

/** A merge patch (RFC 7396) that replaces the former values of the fields completely. */
function replacing(present: JsonObject, wanted: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [name, replaced(present[name], value)]),
  );
}

function replaced(present: Json | undefined, wanted: Json): Json {
  const there = asObject(present), object = asObject(wanted);
  if (there === undefined || object === undefined) return wanted;
  const gone = Object.keys(there).filter((name) => !(name in object)).map((name) => [name, null] as const);
  return { ...Object.fromEntries(gone), ...replacing(there, object) };
}

function isCondition(value: Json): value is JsonObject {
  const object = asObject(value);
  return object !== undefined && "type" in object && "status" in object && "reason" in object;
}

/** Whether a present field has the wanted value; the API server leaves empty fields out. */
function hasValue(present: Json | undefined, wanted: Json): boolean {
  if (wanted === null) return present === undefined;
  const object = asObject(wanted);
  if (object !== undefined) {
    const there = asObject(present);
    if (there === undefined) return Object.keys(object).length === 0;
    return Object.entries(object).every(([name, value]) => hasValue(there[name], value)) &&
      Object.keys(there).every((name) => name in object);
  }
  if (Array.isArray(wanted)) {
    return Array.isArray(present) && present.length === wanted.length &&
      wanted.every((value, index) => hasValue(present[index], value));
  }
  if (present === undefined) return wanted === "" || wanted === false || wanted === 0;
  return equal(present, wanted);
}
