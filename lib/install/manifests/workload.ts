import type { JsonObject } from "../../json/mod.ts";
import { policyMapName } from "./policy_maps.ts";
import { secretPathVariableNames, secretPathVariables } from "./secret_path.ts";
import {
  appName,
  certificateSecret,
  labels,
  type ManifestOptions,
  metadata,
  podLabels,
} from "./manifest_options.ts";

/** The parts of the Deployment that depend on the policies. */
export interface WorkloadNeeds {
  /** The number of ConfigMaps with policies. */
  readonly policyMaps: number;
  /** The hosts of the services that policies call, as Deno's permission has them; `undefined` for any. */
  readonly hosts: readonly string[] | undefined;
}

/** Requests and limits of the container. */
export const defaultResources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } };

/** The beginning of the container's argument that names the namespace whose exceptions count. */
export const exceptionOption = "--exception-namespace=";

const webhookPort = 9443;
const metricsPort = 8000;

/** The address of the API server in a pod: its name, so that the permission to call it can name it. */
const apiServer = { host: "kubernetes.default.svc", port: 443 };

/** The Namespace of the installation. */
export function namespaceObject({ namespace }: ManifestOptions): JsonObject {
  const standard = "restricted";
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels: { ...labels, "pod-security.kubernetes.io/enforce": standard } },
  };
}

/** Service, Deployment and PodDisruptionBudget. */
export function workloadObjects(options: ManifestOptions, needs: WorkloadNeeds): JsonObject[] {
  const { namespace, replicas } = options;
  return [
    service(namespace),
    deployment(options, needs),
    ...(replicas < 2 ? [] : [disruptionBudget(namespace)]),
  ];
}

function service(namespace: string): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(appName, namespace),
    spec: {
      selector: podLabels,
      ports: [
        { name: "https", port: 443, targetPort: "https" },
        { name: "metrics", port: metricsPort, targetPort: "metrics" },
      ],
    },
  };
}

function deployment(options: ManifestOptions, needs: WorkloadNeeds): JsonObject {
  const { namespace, replicas, checksum } = options;
  const annotations = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(metricsPort),
    [`${appName}/policies`]: checksum,
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata(appName, namespace),
    spec: {
      replicas,
      selector: { matchLabels: podLabels },
      template: { metadata: { labels, annotations }, spec: podSpec(options, needs) },
    },
  };
}

/** Drained nodes evict one pod at a time. */
function disruptionBudget(namespace: string): JsonObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadata(appName, namespace),
    spec: { maxUnavailable: 1, selector: { matchLabels: podLabels } },
  };
}

function podSpec(options: ManifestOptions, needs: WorkloadNeeds): JsonObject {
  const maps = Array.from(
    { length: needs.policyMaps },
    (_, index) => ({ configMap: { name: policyMapName(index) } }),
  );
  const volumes = [
    ...(mountsPolicies(options, needs) ? [{ name: "policies", projected: { sources: maps } }] : []),
    ...(mountsCertificate(options) ? [{ name: "tls", secret: { secretName: certificateSecret } }] : []),
  ];
  return {
    serviceAccountName: appName,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 100,
          podAffinityTerm: {
            topologyKey: "kubernetes.io/hostname",
            labelSelector: { matchLabels: podLabels },
          },
        }],
      },
    },
    terminationGracePeriodSeconds: 40,
    containers: [container(options, needs)],
    ...(volumes.length > 0 && { volumes }),
  };
}

function container(options: ManifestOptions, needs: WorkloadNeeds): JsonObject {
  const volumeMounts = [
    ...(mountsPolicies(options, needs) ? [{ name: "policies", mountPath: "/policies", readOnly: true }] : []),
    ...(mountsCertificate(options) ? [{ name: "tls", mountPath: "/tls", readOnly: true }] : []),
  ];
  return {
    name: appName,
    image: options.image,
    command: command(options, needs),
    args: serverArguments(options, needs),
    env: [
      { name: "KUBERNETES_SERVICE_HOST", value: apiServer.host },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ...secretPathVariables(options),
      ...traceVariables(options),
    ],
    ports: [
      { name: "https", containerPort: webhookPort },
      { name: "metrics", containerPort: metricsPort },
    ],
    ...probes(),
    // Requests still arrive for a moment after the pod has left the endpoints of the Service.
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    resources: defaultResources,
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
}

/** Whether policies of files are mounted: not when all policies are objects of the cluster. */
function mountsPolicies({ follows }: ManifestOptions, { policyMaps }: WorkloadNeeds): boolean {
  return policyMaps > 0 || !follows;
}

/** Whether the serving certificate is mounted as files; Postern reads the certificate that it made from the Secret. */
function mountsCertificate({ certificate }: ManifestOptions): boolean {
  return certificate.from !== "postern";
}

/** The environment variables of OpenTelemetry, which Deno reads. */
function traceVariables({ traces }: ManifestOptions): JsonObject[] {
  if (traces === undefined) return [];
  return [
    { name: tracing, value: "true" },
    { name: "OTEL_SERVICE_NAME", value: appName },
    { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: traces },
  ];
}

/** The variable that enables traces; Postern reads it too. */
const tracing = "OTEL_DENO";

/**
 * The image's entry point with the permissions that these policies need; the Dockerfile has permissions for any
 * policy.
 */
function command(options: ManifestOptions, { hosts }: WorkloadNeeds): string[] {
  const variables = [
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
    "POD_NAME",
    "POD_NAMESPACE",
    "NO_COLOR",
    ...secretPathVariableNames(options),
    ...(options.traces === undefined ? [] : [tracing]),
  ];
  const addresses = [
    `0.0.0.0:${webhookPort}`,
    `0.0.0.0:${metricsPort}`,
    `${apiServer.host}:${apiServer.port}`,
  ];
  const reads = ["/app", "/policies", "/var/run/secrets/kubernetes.io/serviceaccount"];
  if (mountsCertificate(options)) reads.push("/tls");
  return [
    "/tini",
    "--",
    "/bin/deno",
    "run",
    "--no-prompt",
    "--cached-only",
    hosts === undefined ? "--allow-net" : `--allow-net=${[...new Set([...addresses, ...hosts])].join(",")}`,
    `--allow-read=${reads.join(",")}`,
    `--allow-env=${variables.join(",")}`,
    "/app/postern.js",
  ];
}

function serverArguments(options: ManifestOptions, needs: WorkloadNeeds): string[] {
  const { namespace, certificate, dialect, follows, ignoreFailures = false } = options;
  const { exceptionNamespace = "*" } = options;
  const tls = certificate.from === "postern"
    ? [`--certificate-secret=${namespace}/${certificateSecret}`]
    : ["--tls-cert=/tls/tls.crt", "--tls-key=/tls/tls.key", "--tls-ca=/tls/ca.crt"];
  return [
    "serve",
    ...(mountsPolicies(options, needs) ? ["--policies=/policies"] : []),
    "--host=0.0.0.0",
    `--port=${webhookPort}`,
    `--metrics-port=${metricsPort}`,
    `--dialect=${dialect}`,
    `--service=${namespace}/${appName}`,
    follows ? "--watch-policies" : `--webhooks=${appName}`,
    ...(follows ? [`${exceptionOption}${exceptionNamespace}`] : []),
    ...(ignoreFailures ? ["--force-failure-policy-ignore"] : []),
    ...tls,
  ];
}

/**
 * The probes. There is no startup probe: a kubelet that restarts takes containers with one for unstarted and so for
 * unready, all replicas of a node together, until it has probed them again: for about a second the Service had no
 * endpoint. Instead a start may take a minute before the liveness probe ends it.
 */
function probes(): JsonObject {
  return {
    livenessProbe: {
      ...probe("liveness"),
      initialDelaySeconds: 40,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    // A probe before the port is open causes an event about an unhealthy pod; on a quiet machine the port opens in
    // 0.3 s. With a longer period a pod whose policies load just after a probe stays unready until the next one.
    readinessProbe: {
      ...probe("readiness"),
      initialDelaySeconds: 1,
      periodSeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 5,
    },
  };
}

/** The probe of the port without TLS, where the kubelet does not wait for other callers' handshakes. */
function probe(what: "liveness" | "readiness"): JsonObject {
  return { httpGet: { port: "metrics", path: `/health/${what}` } };
}
