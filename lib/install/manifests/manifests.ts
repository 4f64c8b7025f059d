import { changesOtherObjects, type Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { emptyWebhookConfigurations } from "../../live/mod.ts";
import { accessObjects } from "./access.ts";
import { certificateObjects } from "./certificate_objects.ts";
import { policyRights } from "./policy_rights.ts";
import { type PolicyFile, policyMaps } from "./policy_maps.ts";
import { secretPathObjects } from "./secret_path.ts";
import { appName, type ManifestOptions } from "./manifest_options.ts";
import { namespaceObject, workloadObjects } from "./workload.ts";
import { emptyConfigurations, webhooksOf } from "./webhooks.ts";

/** The objects of an installation, and remarks for its author. */
export interface Manifests {
  /** The objects in the order in which they are applied. */
  readonly objects: readonly JsonObject[];
  readonly remarks: readonly string[];
}

/**
 * Makes the objects that run Postern with these policies in a cluster. The same policies and options give the same
 * objects. The webhook configurations come first, and have no webhooks until a replica is ready: `kubectl delete`
 * deletes objects in the same order, and the API server must not call once the Deployment is gone. If policies are
 * followed, the namespace comes before them: a leader whose namespace is being deleted does not restore
 * configurations.
 */
export function makeManifests(
  snapshot: Snapshot,
  files: readonly PolicyFile[],
  options: ManifestOptions,
): Manifests {
  const { access, hosts, remarks } = policyRights(snapshot);
  const guesses = new Map<string, string>();
  const maps = policyMaps(files, options.namespace);
  const called = { namespace: options.namespace, service: appName, caBundle: undefined };
  webhooksOf(snapshot.policies, called, ({ kind, resource }) => {
    guesses.set(kind, `${kind} is no kind of plain Kubernetes: its resource is taken to be ${resource}`);
  });
  return {
    objects: [
      ...(options.follows
        ? [namespaceObject(options), ...emptyWebhookConfigurations(appName)]
        : [...emptyConfigurations(options), namespaceObject(options)]),
      ...accessObjects(options, access, {
        leader: options.follows || snapshot.policies.some(changesOtherObjects),
      }),
      ...certificateObjects(options),
      ...secretPathObjects(options),
      ...maps,
      // Only the cluster's policies name the hosts that they call.
      ...workloadObjects(options, { policyMaps: maps.length, hosts: options.follows ? undefined : hosts }),
    ],
    remarks: [...guesses.values(), ...remarks],
  };
}
