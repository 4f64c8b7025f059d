/** A cleaner in a cluster with objects, and a policy for it. */
import type { JsonObject } from "../../lib/json/mod.ts";
import type { CleanerOptions } from "../../lib/live/cleanup/cleaner.ts";
import { Cleaner, type PolicyEvent } from "../../lib/live/mod.ts";
import type { PolicyObject } from "../../lib/live/policy_objects.ts";
import { StatusWriter } from "../../lib/live/status_writer.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import type { Clock, Cluster, Log } from "../../lib/ports.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { allServed, almostDue } from "./cleanup_setting.ts";

/** The kind and the object of a cleanup policy that is due every minute and deletes all ConfigMaps. */
export function cleanup(spec: JsonObject = {}): PolicyObject {
  const [kind] = policyObjectKinds.filter((each) => each.kind === "ClusterCleanupPolicy");
  const match = { any: [{ resources: { kinds: ["ConfigMap"] } }] };
  const metadata = { name: "p", uid: "u" };
  const written = { schedule: "* * * * *", match, ...spec };
  return {
    kind: kind!,
    object: { apiVersion: "kyverno.io/v2", kind: "ClusterCleanupPolicy", metadata, spec: written },
  };
}

/** A Cleaner whose policy is due in a millisecond. */
export function cleanerIn(
  cluster: Cluster,
  { discovery = allServed, leads = () => true, clock = almostDue, resourceFilters = () => undefined }:
    Partial<
      & Pick<CleanerOptions, "discovery" | "leads" | "resourceFilters">
      & { readonly clock: Clock }
    > = {},
): { readonly cleaner: Cleaner; readonly lines: string[]; readonly events: PolicyEvent[] } {
  const lines: string[] = [], events: PolicyEvent[] = [];
  const log: Log = { write: (_level, message) => void lines.push(message) };
  const cleaner = new Cleaner({
    ports: { ...clusterPorts([]), cluster, clock },
    discovery,
    resourceFilters,
    log,
    compiling: { dialect: "current" },
    account: "system:serviceaccount:kyverno:cleanup",
    statuses: new StatusWriter({ cluster, clock, log }),
    events: (found) => void events.push(...found),
    leads,
  });
  return { cleaner, lines, events };
}
