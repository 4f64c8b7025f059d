import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { atomicFields, readApplyTypes } from "../../lib/patch/mod.ts";

const types = readApplyTypes();

const affinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
  },
};
const required = ".spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

// Recorded from Kyverno 1.19 with the schemas of Kubernetes 1.34.
const searches: [
  name: string,
  kind: [apiVersion: string, kind: string],
  patch: JsonObject,
  paths: string[],
][] = [
  ["an atomic list", ["v1", "Pod"], { spec: { tolerations: [{ key: "a" }] } }, [".spec.tolerations"]],
  ["an empty one", ["v1", "Pod"], { spec: { tolerations: [] } }, [".spec.tolerations"]],
  ["an atomic map", ["v1", "Pod"], { spec: { nodeSelector: { a: "b" } } }, [".spec.nodeSelector"]],
  [
    "lists in elements",
    ["v1", "Pod"],
    { spec: { containers: [{ name: "a", command: ["x"], args: ["y"] }] } },
    [
      ".spec.containers[0].command",
      ".spec.containers[0].args",
    ],
  ],
  ["atomic structs in elements", ["v1", "Pod"], {
    spec: { containers: [{ env: [{ valueFrom: { fieldRef: { fieldPath: "a" } } }] }] },
  }, [".spec.containers[0].env[0].valueFrom.fieldRef"]],
  ["atomic elements of a list with keys", ["v1", "Pod"], { spec: { imagePullSecrets: [{ name: "a" }] } }, [
    ".spec.imagePullSecrets[0]",
  ]],
  ["all levels", ["v1", "Pod"], { spec: { affinity: { nodeAffinity: affinity } } }, [
    required,
    `${required}.nodeSelectorTerms`,
    `${required}.nodeSelectorTerms[0]`,
    `${required}.nodeSelectorTerms[0].matchExpressions`,
    `${required}.nodeSelectorTerms[0].matchExpressions[0].values`,
  ]],
  ["a selector", ["apps/v1", "Deployment"], { spec: { selector: { matchLabels: { a: "b" } } } }, [
    ".spec.selector",
  ]],
  ["a list of a kind without other lists", ["storage.k8s.io/v1", "StorageClass"], { mountOptions: ["a"] }, [
    ".mountOptions",
  ]],
  ["nothing in lists with keys, sets and maps", ["v1", "Pod"], {
    metadata: { labels: { a: "b" }, finalizers: ["a"] },
    spec: {
      schedulingGates: [{ name: "a" }],
      containers: [{ name: "a", resources: { claims: [{ name: "b" }] } }],
    },
  }, []],
  [
    "nothing in the values of maps",
    ["certificates.k8s.io/v1", "CertificateSigningRequest"],
    { spec: { extra: { a: ["b"] } } },
    [],
  ],
  ["every list of a custom resource", ["example.com/v1", "Widget"], {
    spec: { parts: [{ ids: [1] }], a: {} },
  }, [
    ".spec.parts",
    ".spec.parts[0].ids",
  ]],
];

for (const [name, [apiVersion, kind], patch, paths] of searches) {
  Deno.test(`atomicFields() finds what is replaced as a whole: ${name}`, () => {
    assert.deepEqual(atomicFields(patch, types(apiVersion, kind)), paths);
  });
}
