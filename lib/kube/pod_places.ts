const inTemplate: readonly string[] = ["spec", "template"];

/** Where each kind that holds a Pod has its metadata and spec: the fields from the object; none for a Pod itself. */
export const podPlaces: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pod", []],
  ["DaemonSet", inTemplate],
  ["Deployment", inTemplate],
  ["Job", inTemplate],
  ["ReplicaSet", inTemplate],
  ["ReplicationController", inTemplate],
  ["StatefulSet", inTemplate],
  ["CronJob", ["spec", "jobTemplate", "spec", "template"]],
]);
