const inTemplate: readonly string[] = ["spec", "template"];

/** The path of the metadata and spec of a Pod in each kind that contains one; empty for a Pod itself. */
export const podTemplatePaths: ReadonlyMap<string, readonly string[]> = new Map([
  ["Pod", []],
  ["DaemonSet", inTemplate],
  ["Deployment", inTemplate],
  ["Job", inTemplate],
  ["ReplicaSet", inTemplate],
  ["ReplicationController", inTemplate],
  ["StatefulSet", inTemplate],
  ["CronJob", ["spec", "jobTemplate", "spec", "template"]],
]);
