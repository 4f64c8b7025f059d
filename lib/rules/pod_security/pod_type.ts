import type { Type } from "./typed.ts";

const hostHandler: Type = { struct: "HTTPGetAction", fields: { host: "string" } };
const profile = (struct: string): Type => ({
  struct,
  fields: { type: "string", localhostProfile: "string" },
});
const seLinuxOptions: Type = {
  struct: "SELinuxOptions",
  fields: { type: "string", user: "string", role: "string", level: "string" },
};
const windowsOptions: Type = { struct: "WindowsSecurityContextOptions", fields: { hostProcess: "bool" } };

const handler = (struct: string): Type => ({
  struct,
  fields: { httpGet: hostHandler, tcpSocket: { ...hostHandler, struct: "TCPSocketAction" } },
});

const container: Type = {
  struct: "Container",
  fields: {
    name: "string",
    image: "string",
    ports: {
      list: {
        struct: "ContainerPort",
        fields: { name: "string", hostPort: "int32", containerPort: "int32" },
      },
    },
    resources: {
      struct: "ResourceRequirements",
      fields: { limits: { values: "quantity" }, requests: { values: "quantity" } },
    },
    livenessProbe: handler("Probe"),
    readinessProbe: handler("Probe"),
    startupProbe: handler("Probe"),
    lifecycle: {
      struct: "Lifecycle",
      fields: { postStart: handler("LifecycleHandler"), preStop: handler("LifecycleHandler") },
    },
    securityContext: {
      struct: "SecurityContext",
      fields: {
        allowPrivilegeEscalation: "bool",
        appArmorProfile: profile("AppArmorProfile"),
        capabilities: {
          struct: "Capabilities",
          fields: { add: { list: "string" }, drop: { list: "string" } },
        },
        privileged: "bool",
        procMount: "string",
        runAsNonRoot: "bool",
        runAsUser: "int64",
        seLinuxOptions,
        seccompProfile: profile("SeccompProfile"),
        windowsOptions,
      },
    },
  },
};

const source: Type = { struct: "VolumeSource", fields: {} };
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
export const metadataType: Type = {
  struct: "ObjectMeta",
  fields: {
    name: "string",
    annotations: { values: "string" },
    labels: { values: "string" },
    creationTimestamp: "time",
    deletionTimestamp: "time",
  },
};

/** The spec of a pod. */
export const podSpecType: Type = {
  struct: "PodSpec",
  fields: {
    containers: { list: container },
    initContainers: { list: container },
    ephemeralContainers: { list: container },
    hostIPC: "bool",
    hostNetwork: "bool",
    hostPID: "bool",
    hostUsers: "bool",
    os: { struct: "PodOS", fields: { name: "string" } },
    overhead: { values: "quantity" },
    securityContext: {
      struct: "PodSecurityContext",
      fields: {
        appArmorProfile: profile("AppArmorProfile"),
        runAsNonRoot: "bool",
        runAsUser: "int64",
        seLinuxOptions,
        seccompProfile: profile("SeccompProfile"),
        sysctls: { list: { struct: "Sysctl", fields: { name: "string", value: "string" } } },
        windowsOptions,
      },
    },
    volumes: {
      list: {
        struct: "Volume",
        fields: {
          name: "string",
          ...Object.fromEntries(volumeSources.map((name) => [name, source])),
          emptyDir: { struct: "EmptyDirVolumeSource", fields: { medium: "string", sizeLimit: "quantity" } },
          hostPath: { struct: "HostPathVolumeSource", fields: { path: "string", type: "string" } },
        },
      },
    },
  },
};
