import type { Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { accessObjects } from "./access.ts";
import { certificateObjects } from "./certificate_objects.ts";
import { lookUps } from "./look_ups.ts";
import { type PolicyFile, policyMaps } from "./policy_maps.ts";
import { secretPathObjects } from "./secret_path.ts";
import type { ManifestSetting } from "./setting.ts";
import { namespaceObject, workloadObjects } from "./workload.ts";
import { webhookConfigurations } from "./webhooks.ts";

/** Everything that is installed, and what whoever installs it should know. */
export interface Manifests {
  /** In the order in which they are applied. */
  readonly objects: readonly JsonObject[];
  readonly remarks: readonly string[];
}

/**
 * Makes the objects that run Postern with these policies in a cluster. The same policies and setting make the same
 * objects. The webhooks come before the Deployment, which tells them its certificate when it starts.
 */
export function makeManifests(
  snapshot: Snapshot,
  files: readonly PolicyFile[],
  setting: ManifestSetting,
): Manifests {
  const { access, hosts, remarks } = lookUps(snapshot);
  const guesses = new Map<string, string>();
  const maps = policyMaps(files, setting.namespace);
  const webhooks = webhookConfigurations(snapshot.policies, setting, ({ kind, resource }) => {
    guesses.set(kind, `${kind} is no kind of plain Kubernetes: its resource is taken to be ${resource}`);
  });
  return {
    objects: [
      namespaceObject(setting),
      ...accessObjects(setting, access, { leader: changesOthers(snapshot) }),
      ...certificateObjects(setting),
      ...secretPathObjects(setting),
      ...maps,
      ...webhooks,
      ...workloadObjects(setting, { policyMaps: maps.length, hosts }),
    ],
    remarks: [...guesses.values(), ...remarks],
  };
}

function changesOthers({ policies }: Snapshot): boolean {
  return policies.some(({ rules }) =>
    rules.some(({ type }) => type === "generate" || type === "mutateExisting")
  );
}
