/** How long a pod takes through ten strategic merge patches, beside reading the same pod from JSON. */
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import {
  diff,
  type MergeMemory,
  type PatchNodes,
  planStrategicMerge,
  type StrategicMerge,
} from "../../lib/patch/mod.ts";

const every = "(name)";

const sources: readonly Json[] = [
  { spec: { securityContext: { "+(runAsNonRoot)": true, "+(runAsUser)": 1000, "+(fsGroup)": 2000 } } },
  { spec: { dnsConfig: { options: [{ name: "ndots", value: "1" }] } } },
  { spec: { containers: [{ [every]: "?*", imagePullPolicy: "Always" }] } },
  { spec: { nodeSelector: { disk: "ssd", zone: "a" } } },
  { spec: { dnsPolicy: "Default", enableServiceLinks: false } },
  { spec: { terminationGracePeriodSeconds: 50 } },
  {
    spec: {
      initContainers: [{ [every]: "*", envFrom: [{ configMapRef: { name: "shared" } }] }],
      containers: [{ [every]: "*", envFrom: [{ configMapRef: { name: "shared" } }] }],
    },
  },
  { spec: { containers: [{ "<(image)": "registry.example.com/*" }], imagePullSecrets: [{ name: "pull" }] } },
  { metadata: { labels: { team: "none" } } },
  {
    spec: {
      containers: [{
        [every]: "*",
        env: [{ name: "HTTP_PROXY", value: "http://proxy:8080" }, { name: "NO_PROXY", value: "localhost" }],
      }],
    },
  },
];

function container(name: string): JsonObject {
  return {
    name,
    image: `registry.example.com/team/${name}:1.2.3`,
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: ["LEVEL", "REGION", "MODE", "TOKEN_FILE"].map((name) => ({ name, value: `value of ${name}` })),
    resources: { limits: { memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }, {
      name: "token",
      readOnly: true,
      mountPath: "/var/run/token",
    }],
    livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { httpGet: { path: "/readyz", port: "http" }, periodSeconds: 10, failureThreshold: 3 },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, runAsNonRoot: true },
    terminationMessagePath: "/dev/termination-log",
  };
}

const managed = Array.from({ length: 60 }, (_, index) => [`f:field${index}`, { ".": {}, "f:name": {} }]);
const pod: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-7d9f8c6b5-gt7f8",
    namespace: "shop",
    labels: { app: "web", "app.kubernetes.io/name": "web" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-7d9f8c6b5", uid: "u" }],
    managedFields: [{
      manager: "m",
      operation: "Update",
      fieldsV1: { "f:spec": Object.fromEntries(managed) },
    }],
  },
  spec: {
    initContainers: [container("migrate")],
    containers: [container("web"), container("proxy")],
    volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }, {
      name: "token",
      projected: { defaultMode: 420 },
    }],
    tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }],
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "web",
  },
};
const text = JSON.stringify(pod);

const plans = sources.map((source): StrategicMerge => {
  const plan = planStrategicMerge(source);
  if (isFault(plan)) throw new Error(plan.message);
  return plan;
});

function patchAll(resource: JsonObject): JsonObject {
  let current = resource;
  const memory: MergeMemory = { normalized: undefined };
  for (const plan of plans) {
    const next = plan.apply(current, memory);
    if (isFault(next)) throw new Error(next.message);
    current = next;
  }
  return current;
}

const patched = patchAll(pod);

const parse = () => JSON.parse(text) as JsonObject;
let sink: unknown;

/** A patch as templates render it: one value is new each time, the rest is the same object. */
const constant = Array.from({ length: 30 }, (_, index) => ({ name: `V${index}`, value: "x" }));
const nodes: PatchNodes = new WeakMap();
function renderedPatch(): unknown {
  const containers = [{ [every]: "*", env: constant }];
  const plan = planStrategicMerge({ metadata: { annotations: { a: "x" } }, spec: { containers } }, nodes);
  return isFault(plan) ? plan : plan.apply(pod);
}

const measured: [name: string, run: () => unknown][] = [
  [`JSON.parse of a pod (${text.length} bytes)`, parse],
  ["… and ten patches that change it", () => patchAll(parse())],
  ["ten patches that find it done", () => patchAll(patched)],
  ["a rendered patch", renderedPatch],
  ["diff of before and after", () => diff(pod, patched)],
];
for (const [index, [name, run]] of measured.entries()) {
  Deno.bench({
    name,
    group: "pod",
    baseline: index === 0,
    fn: () => {
      sink = run();
    },
  });
}
globalThis.addEventListener("unload", () => sink);
