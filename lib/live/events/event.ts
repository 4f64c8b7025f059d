import { asString, dig, type JsonObject } from "../../json/mod.ts";
import { formatMicroTimestamp, nameOf, namespaceOf } from "../../kube/mod.ts";
import type { EventReason } from "../../report/mod.ts";

/** The `action` of an event: the change of the resource. */
export type EventAction =
  | "Resource Blocked"
  | "Resource Passed"
  | "Resource Mutated"
  | "Resource Generated"
  | "Resource Cleaned Up"
  | "None";

/** An event without name and time. */
export interface PolicyEvent {
  /** The object that the event is about: the policy, or the resource. */
  readonly regarding: JsonObject;
  readonly related?: JsonObject;
  readonly reason: EventReason;
  readonly action: EventAction;
  readonly message: string;
  /** The component of Kyverno that writes such events: `kyverno-admission`. */
  readonly component: string;
}

/** The most bytes of a message that the API server accepts. */
export const longestMessage = 1024;

/** A reference to an object, as events have it. */
export function referenceTo(object: JsonObject): JsonObject {
  const namespace = namespaceOf(object);
  const uid = asString(dig(object, "metadata", "uid"));
  const resourceVersion = asString(dig(object, "metadata", "resourceVersion"));
  return {
    apiVersion: object["apiVersion"] ?? "",
    kind: object["kind"] ?? "",
    name: nameOf(object),
    ...(namespace !== "" && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/**
 * The object of an event (Kubernetes API: `events.k8s.io/v1`). It is in the namespace of its object, or in `default`
 * for cluster-wide objects. Its name ends in the time, so that names do not clash.
 */
export function eventObject(
  event: PolicyEvent,
  { now, serial }: { readonly now: number; readonly serial: number },
): JsonObject {
  const { regarding, related, reason, action, message, component } = event;
  const time = `${now.toString(16)}${serial.toString(16).padStart(4, "0")}`;
  const isNormal = reason === "PolicyApplied" || reason === "PolicySkipped";
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: {
      name: `${nameStart(asString(regarding["name"]) ?? "")}${time}`,
      namespace: asString(regarding["namespace"]) ?? "default",
    },
    eventTime: formatMicroTimestamp(now),
    type: isNormal ? "Normal" : "Warning",
    reason,
    action,
    note: message,
    regarding,
    ...(related !== undefined && { related }),
    reportingController: component,
    reportingInstance: `${component}-postern`,
  };
}

/** The start of an event's name, from that of its object: each part begins and ends with a letter or a digit. */
function nameStart(name: string): string {
  const parts = name.toLowerCase().slice(0, 200).replace(/[^a-z0-9.]+/g, "-").split(".");
  const trimmed = parts.map((part) => part.replace(/^-|-$/g, "")).filter((part) => part !== "");
  return trimmed.map((part) => `${part}.`).join("");
}
