import { struct, type Type } from "./typed.ts";

const profile = (name: string): Type => struct(name, { type: "string", localhostProfile: "string" });
const seLinuxOptions: Type = struct("SELinuxOptions", {
  type: "string",
  user: "string",
  role: "string",
  level: "string",
});
const windowsOptions: Type = struct("WindowsSecurityContextOptions", { hostProcess: "bool" });

const handler = (name: string): Type =>
  struct(name, {
    httpGet: struct("HTTPGetAction", { host: "string" }),
    tcpSocket: struct("TCPSocketAction", { host: "string" }),
  });

const container: Type = struct("Container", {
  name: "string",
  image: "string",
  ports: {
    list: struct("ContainerPort", { name: "string", hostPort: "int32", containerPort: "int32" }),
  },
  resources: struct("ResourceRequirements", {
    limits: { values: "quantity" },
    requests: { values: "quantity" },
  }),
  livenessProbe: handler("Probe"),
  readinessProbe: handler("Probe"),
  startupProbe: handler("Probe"),
  lifecycle: struct("Lifecycle", {
    postStart: handler("LifecycleHandler"),
    preStop: handler("LifecycleHandler"),
  }),
  securityContext: struct("SecurityContext", {
    allowPrivilegeEscalation: "bool",
    appArmorProfile: profile("AppArmorProfile"),
    capabilities: struct("Capabilities", { add: { list: "string" }, drop: { list: "string" } }),
    privileged: "bool",
    procMount: "string",
    runAsNonRoot: "bool",
    runAsUser: "int64",
    seLinuxOptions,
    seccompProfile: profile("SeccompProfile"),
    windowsOptions,
  }),
});

const source: Type = struct("VolumeSource", {});
const volumeSources = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "configMap",
  "csi",
  "downwardAPI",
  "ephemeral",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "image",
  "iscsi",
  "nfs",
  "persistentVolumeClaim",
  "photonPersistentDisk",
  "portworxVolume",
  "projected",
  "quobyte",
  "rbd",
  "scaleIO",
  "secret",
  "storageos",
  "vsphereVolume",
];

/** `metadata` of any object. */
export const metadataType: Type = struct("ObjectMeta", {
  name: "string",
  annotations: { values: "string" },
  labels: { values: "string" },
  creationTimestamp: "time",
  deletionTimestamp: "time",
});

/** The spec of a pod. */
export const podSpecType: Type = struct("PodSpec", {
  containers: { list: container },
  initContainers: { list: container },
  ephemeralContainers: { list: container },
  hostIPC: "bool",
  hostNetwork: "bool",
  hostPID: "bool",
  hostUsers: "bool",
  os: struct("PodOS", { name: "string" }),
  overhead: { values: "quantity" },
  securityContext: struct("PodSecurityContext", {
    appArmorProfile: profile("AppArmorProfile"),
    runAsNonRoot: "bool",
    runAsUser: "int64",
    seLinuxOptions,
    seccompProfile: profile("SeccompProfile"),
    sysctls: { list: struct("Sysctl", { name: "string", value: "string" }) },
    windowsOptions,
  }),
  volumes: {
    list: struct("Volume", {
      name: "string",
      ...Object.fromEntries(volumeSources.map((name) => [name, source])),
      emptyDir: struct("EmptyDirVolumeSource", { medium: "string", sizeLimit: "quantity" }),
      hostPath: struct("HostPathVolumeSource", { path: "string", type: "string" }),
    }),
  },
});
