/** What the benchmark measures with: the corpus's inputs where they are, the project's own otherwise. */
import { toYaml } from "../../lib/yaml/mod.ts";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

export interface Inputs {
  /** Where they are from, in words. */
  readonly from: string;
  /** Files: pod security policies, policies that change Pods, a thousand that match no Pod, none. */
  readonly security: string;
  readonly mutate: string;
  readonly others: string;
  readonly none: string;
  /** A file with an AdmissionReview of a Pod. */
  readonly review: string;
}

const root = new URL("../../", import.meta.url).pathname;

/** Finds the inputs, or writes the own ones into a folder. */
export async function findInputs(folder: string): Promise<Inputs> {
  const none = `${folder}/none.yaml`;
  await Deno.writeTextFile(none, "# no policies\n");
  const corpus = `${Deno.env.get("CONFORMANCE_CORPUS") ?? `${root}../shared/corpus`}/bench`;
  try {
    await Deno.stat(`${corpus}/pss-17.yaml`);
    return {
      from: "the corpus",
      security: `${corpus}/pss-17.yaml`,
      mutate: `${corpus}/mutate-10.yaml`,
      others: `${corpus}/non-matching-983.yaml`,
      none,
      review: await Deno.realPath(`${corpus}/pod-review.json`),
    };
  } catch {
    const own = {
      from: "the project's own policies",
      security: `${folder}/security.yaml`,
      mutate: `${folder}/mutate.yaml`,
      others: `${folder}/others.yaml`,
      none,
      review: `${folder}/review.json`,
    };
    await Deno.writeTextFile(own.security, documents(await securityPolicies()));
    await Deno.writeTextFile(own.mutate, documents(Array.from({ length: 10 }, (_, index) => labels(index))));
    await Deno.writeTextFile(own.others, documents(Array.from({ length: 983 }, (_, index) => other(index))));
    await Deno.writeTextFile(own.review, JSON.stringify(podReview()));
    return own;
  }
}

function documents(objects: readonly Json[]): string {
  return objects.map((object) => toYaml(object)).join("---\n");
}

/** The project's policies that validate Pods, seventeen of them. */
async function securityPolicies(): Promise<Json[]> {
  const found: Json[] = [];
  for await (const { name } of Deno.readDir(`${root}policies`)) {
    const text = await Deno.readTextFile(`${root}policies/${name}/${name}.yaml`).catch(() => "");
    for (const { value } of parseDocuments(text, name).documents) {
      const [rule] = dig(value, "spec", "rules") as readonly Json[];
      if (
        /^(disallow|restrict|require)-/.test(name) && dig(rule, "validate") !== undefined &&
        JSON.stringify(rule).includes('"Pod"')
      ) {
        found.push(value);
      }
    }
  }
  return found.sort((left, right) => JSON.stringify(left) < JSON.stringify(right) ? -1 : 1).slice(0, 17);
}

function policy(name: string, rule: JsonObject): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name },
    spec: { rules: [{ name: "rule", ...rule }] },
  };
}

function labels(index: number): JsonObject {
  return policy(`label-${index}`, {
    match: { any: [{ resources: { kinds: ["Pod"] } }] },
    mutate: {
      patchStrategicMerge: { metadata: { labels: { [`+(added-${index})`]: "{{ request.namespace }}" } } },
    },
  });
}

function other(index: number): JsonObject {
  const kinds = [["Service"], ["Ingress"], ["Secret"], ["ConfigMap"], ["Namespace"]][index % 5]!;
  return policy(`other-${index}`, {
    match: { any: [{ resources: { kinds } }] },
    validate: {
      message: "a label is missing",
      pattern: { metadata: { labels: { [`label-${index}`]: "?*" } } },
    },
  });
}

/** A Pod as a ReplicaSet makes it, with what an API server adds. */
function podReview(): JsonObject {
  const container = (name: string): JsonObject => ({
    name,
    image: `registry.example.com/team/${name}:1.4.2`,
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: Array.from({ length: 6 }, (_, index) => ({ name: `SETTING_${index}`, value: `value-${index}` })),
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5, failureThreshold: 3 },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }, {
      name: "config",
      mountPath: "/etc/app",
      readOnly: true,
    }],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    },
    terminationMessagePath: "/dev/termination-log",
    imagePullPolicy: "IfNotPresent",
  });
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f:field-${index}`, {}]));
  const type = { group: "", version: "v1" };
  return {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "0d8a3a52-6b5e-4a55-9d2c-0d9a3e1f7f10",
      kind: { ...type, kind: "Pod" },
      resource: { ...type, resource: "pods" },
      requestKind: { ...type, kind: "Pod" },
      requestResource: { ...type, resource: "pods" },
      name: "web-6d4b75cb6d-x2x7v",
      namespace: "shop",
      operation: "CREATE",
      userInfo: {
        username: "system:serviceaccount:kube-system:replicaset-controller",
        groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
      },
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "web-6d4b75cb6d-x2x7v",
          generateName: "web-6d4b75cb6d-",
          namespace: "shop",
          labels: { app: "web", "app.kubernetes.io/name": "web", "pod-template-hash": "6d4b75cb6d" },
          managedFields: [{
            manager: "kube-controller-manager",
            operation: "Update",
            fieldsV1: { "f:spec": fields },
          }],
        },
        spec: {
          containers: [container("web"), container("proxy")],
          initContainers: [container("migrate")],
          volumes: [{ name: "tmp", emptyDir: {} }, { name: "config", configMap: { name: "web" } }],
          serviceAccountName: "web",
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}
