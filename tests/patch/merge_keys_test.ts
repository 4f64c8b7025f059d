import assert from "node:assert/strict";
import { type MergeType, mergeTypeOf } from "../../lib/patch/mod.ts";

/** The keys of the list at a path of fields; elements of lists on the way are entered. */
function keysAt(type: MergeType | undefined, path: string): readonly string[] | undefined {
  const names = path.split(".");
  const owner = names.slice(0, -1).reduce((current, name) => current?.fields.get(name)?.type, type);
  const field = owner?.fields.get(names.at(-1)!);
  return field?.shape === "list" ? field.keys : undefined;
}

const lists: [apiVersion: string, kind: string, path: string, keys: readonly string[] | undefined][] = [
  ["v1", "Pod", "spec.containers", ["name"]],
  ["v1", "Pod", "spec.containers.ports", ["containerPort", "protocol"]],
  ["v1", "Pod", "spec.containers.env", ["name"]],
  ["v1", "Pod", "spec.ephemeralContainers.volumeMounts", ["mountPath"]],
  ["v1", "Pod", "spec.containers.args", undefined],
  ["v1", "Pod", "spec.tolerations", undefined],
  ["v1", "Pod", "spec.topologySpreadConstraints", ["topologyKey", "whenUnsatisfiable"]],
  ["v1", "Pod", "spec.hostAliases", ["ip"]],
  ["v1", "Pod", "metadata.finalizers", []],
  ["v1", "Pod", "metadata.ownerReferences", ["uid"]],
  ["apps/v1", "Deployment", "spec.template.spec.volumes", ["name"]],
  ["apps/v1", "StatefulSet", "spec.volumeClaimTemplates", undefined],
  ["batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.initContainers", ["name"]],
  ["v1", "Service", "spec.ports", ["port", "protocol"]],
  ["v1", "ServiceAccount", "secrets", ["name"]],
  ["v1", "ServiceAccount", "imagePullSecrets", undefined],
  ["v1", "Pod", "spec.ephemeralContainers.env", ["name"]],
  ["v1", "Pod", "spec.ephemeralContainers.ports", undefined],
  ["v1", "Pod", "spec.schedulingGates", undefined],
  ["v1", "Pod", "spec.resourceClaims", undefined],
  ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks", ["name"]],
  [
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "webhooks.matchConditions",
    undefined,
  ],
  ["autoscaling/v2beta2", "HorizontalPodAutoscaler", "status.conditions", undefined],
  ["autoscaling/v1", "HorizontalPodAutoscaler", "metadata.finalizers", []],
  ["batch/v1beta1", "CronJob", "spec.jobTemplate.spec.template.spec.containers", ["name"]],
  ["extensions/v1beta1", "Ingress", "metadata.finalizers", []],
  ["policy/v1beta1", "PodDisruptionBudget", "metadata.finalizers", []],
  ["flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", "metadata.finalizers", []],
  ["example.com/v1", "Pod", "spec.containers", undefined],
  ["v1", "toString", "metadata.finalizers", undefined],
];
for (const [apiVersion, kind, path, keys] of lists) {
  const merged = keys === undefined ? "replaced" : `merged by [${keys.join(", ")}]`;
  Deno.test(`${path} of ${apiVersion} ${kind} is ${merged}`, () => {
    assert.deepEqual(keysAt(mergeTypeOf(apiVersion, kind), path), keys);
  });
}

Deno.test("lists, kinds and versions that Kubernetes 1.21 does not have do not merge", () => {
  for (
    const [apiVersion, kind] of [
      ["autoscaling/v2", "HorizontalPodAutoscaler"],
      ["storage.k8s.io/v1", "CSIStorageCapacity"],
      ["flowcontrol.apiserver.k8s.io/v1", "FlowSchema"],
      ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"],
      ["resource.k8s.io/v1", "ResourceClaim"],
      ["policy/v1", "Eviction"],
      ["apps/v1beta1", "Deployment"],
      ["batch/v2alpha1", "CronJob"],
    ] as const
  ) assert.equal(mergeTypeOf(apiVersion, kind), undefined, `${apiVersion} ${kind}`);
});
