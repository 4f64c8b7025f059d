/** How long a pod takes through patterns in the style of the pod security standards. */
import { isFault, type Json } from "../../lib/json/mod.ts";
import { compilePattern, type Pattern } from "../../lib/pattern/mod.ts";

/** A check of every container list and, where `pod` is given, of the pod's own settings. */
function containers(container: Json, pod: { readonly [key: string]: Json } = {}): Json {
  return {
    spec: {
      ...pod,
      "=(ephemeralContainers)": [container],
      "=(initContainers)": [container],
      containers: [container],
    },
  };
}

function securityContext(settings: Json): Json {
  return containers({ "=(securityContext)": settings }, { "=(securityContext)": settings });
}

const sources: readonly Json[] = [
  { spec: { "=(hostPID)": "false", "=(hostIPC)": "false", "=(hostNetwork)": "false" } },
  { spec: { "=(volumes)": [{ "X(hostPath)": "null" }] } },
  containers({ "=(ports)": [{ "=(hostPort)": 0 }] }),
  securityContext({ "=(windowsOptions)": { "=(hostProcess)": "false" } }),
  containers({ "=(securityContext)": { "=(privileged)": "false" } }),
  containers({ "=(securityContext)": { "=(procMount)": "Default" } }),
  securityContext({ "=(seLinuxOptions)": { "=(type)": "container_t | container_init_t | container_kvm_t" } }),
  securityContext({ "=(seLinuxOptions)": { "X(user)": "null", "X(role)": "null" } }),
  { "=(metadata)": { "=(annotations)": { "=(apparmor.example.io/*)": "runtime/default | localhost/*" } } },
  securityContext({ "=(seccompProfile)": { "=(type)": "RuntimeDefault | Localhost" } }),
  {
    spec: {
      "=(securityContext)": {
        "=(sysctls)": [{ "=(name)": "net.ipv4.tcp_syncookies | kernel.shm_rmid_forced" }],
      },
    },
  },
  containers({ securityContext: { allowPrivilegeEscalation: "false" } }),
  securityContext({ "=(runAsUser)": ">0" }),
  securityContext({ "=(runAsNonRoot)": true }),
  {
    spec: { "=(volumes)": [{ "=(name)": "?*", "X(nfs)": "null", "X(rbd)": "null", "X(glusterfs)": "null" }] },
  },
  containers({ resources: { limits: { memory: "<=1Gi" } }, image: "!*:latest" }),
  { metadata: { labels: { "app.example.io/*": "?*" } }, spec: { "(hostNetwork)": "true" } },
];

const hardened: Json = {
  runAsUser: 10001,
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

function pod(securityContext: Json): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "shop-1",
      namespace: "shop",
      labels: { app: "shop", "app.example.io/name": "shop" },
      annotations: { "metrics.example.io/scrape": "true" },
    },
    spec: {
      containers: [{
        name: "shop",
        image: "registry.example.io/shop:1.4.2",
        ports: [{ name: "http", containerPort: 8080 }],
        resources: { limits: { memory: "512Mi" }, requests: { cpu: "100m" } },
        securityContext,
      }],
      volumes: [{ name: "tmp", emptyDir: {} }, { name: "settings", configMap: { name: "shop" } }],
      securityContext: { runAsUser: 10001, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    },
  };
}

const patterns: readonly Pattern<void>[] = sources.map((source) => {
  const pattern = compilePattern(source);
  if (isFault(pattern)) throw new Error(pattern.message);
  return pattern;
});

const good = pod(hardened);
const privileged = pod({ privileged: true });

function check(resource: Json): number {
  let failed = 0;
  for (const pattern of patterns) if (pattern.check(resource).status === "fail") failed++;
  return failed;
}

Deno.bench("17 patterns, a pod that passes", () => {
  if (check(good) !== 0) throw new Error("the pod should pass");
});

Deno.bench("17 patterns, a privileged pod", () => {
  if (check(privileged) === 0) throw new Error("the pod should fail");
});

Deno.bench("compile 17 patterns", () => {
  for (const source of sources) compilePattern(source);
});

const images = compilePattern({ spec: { containers: [{ "(image)": "registry.example.io/*", name: "?*" }] } });
const crowd: Json = {
  spec: {
    containers: Array.from({ length: 10_000 }, (_, index) => ({
      name: `c${index}`,
      image: `registry.example.io/${index}:1`,
    })),
  },
};

Deno.bench("a condition over 10,000 containers", () => {
  if (isFault(images) || images.check(crowd).status !== "pass") throw new Error("the list should pass");
});
