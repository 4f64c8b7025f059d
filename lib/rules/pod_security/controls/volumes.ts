import { asList, field, textField } from "../../../json/mod.ts";
import { type Finding, forbidden } from "../control.ts";
import { plural, type PodView, quoted, setting, sortedSet } from "../pod.ts";

const allowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** The forbidden volume sources, in the order in which they are reported. A volume has one source. */
const restricted = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

/** Volumes must have sources inside the cluster. */
export function restrictedVolumes({ spec }: PodView): Finding | undefined {
  const bad = asList(field(spec, "volumes")).flatMap((volume, index) => {
    const has = (source: string) => setting(volume, source) !== undefined;
    if (allowed.some(has)) return [];
    const type = restricted.find(has) ?? "unknown";
    return [{ name: textField(volume, "name"), type, path: `spec.volumes[${index}].${type}` }];
  });
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(({ type }) => type));
  const uses = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", bad.length)} ${quoted(bad.map(({ name }) => name))} ${uses} ${
      plural("restricted volume type", types.length)
    } ${quoted(types)}`,
    fields: bad.map(({ path }) => forbidden(path)),
  };
}
