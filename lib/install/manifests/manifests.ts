import type { Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { emptyWebhookConfigurations } from "../../live/mod.ts";
import { accessObjects } from "./access.ts";
import { certificateObjects } from "./certificate_objects.ts";
import { lookUps } from "./look_ups.ts";
import { type PolicyFile, policyMaps } from "./policy_maps.ts";
import { secretPathObjects } from "./secret_path.ts";
import { appName, type ManifestOptions } from "./manifest_options.ts";
import { namespaceObject, workloadObjects } from "./workload.ts";
import { emptyConfigurations, webhooksOf } from "./webhooks.ts";

/** Everything that is installed, and what whoever installs it should know. */
export interface Manifests {
  /** In the order in which they are applied. */
  readonly objects: readonly JsonObject[];
  readonly remarks: readonly string[];
}

/**
 * Makes the objects that run Postern with these policies in a cluster. The same policies and setting make the same
 * objects. The webhook configurations come first, which are without webhooks until a replica is ready: `kubectl
 * delete` takes objects in the same order, and the API server must not call once the Deployment is gone. Where policies
 * are followed the namespace comes before them: a leader whose namespace goes puts no configuration back.
 */
export function makeManifests(
  snapshot: Snapshot,
  files: readonly PolicyFile[],
  options: ManifestOptions,
): Manifests {
  const { access, hosts, remarks } = lookUps(snapshot);
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
      ...accessObjects(options, access, { leader: options.follows || changesOthers(snapshot) }),
      ...certificateObjects(options),
      ...secretPathObjects(options),
      ...maps,
      // Which hosts policies of the cluster call is only in them.
      ...workloadObjects(options, { policyMaps: maps.length, hosts: options.follows ? undefined : hosts }),
    ],
    remarks: [...guesses.values(), ...remarks],
  };
}

function changesOthers({ policies }: Snapshot): boolean {
  return policies.some(({ rules }) =>
    rules.some(({ type }) => type === "generate" || type === "mutateExisting")
  );
}
