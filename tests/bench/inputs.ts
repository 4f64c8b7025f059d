/** The inputs of the benchmark: those of the corpus where they exist, otherwise the project's. */
import { parseDocuments, toYaml } from "../../lib/yaml/mod.ts";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";

export interface Inputs {
  /** Where they are from, in words. */
  readonly from: string;
  /** Files: pod security policies, policies that change Pods, a thousand that match no Pod, none. */
  readonly security: string;
  /** The pod security policies with Audit as their failure action. */
  readonly audited: string;
  readonly mutate: string;
  readonly others: string;
  readonly none: string;
  /** Ten rules in CEL about Pods. */
  readonly cel: string;
  /** A policy that looks a ConfigMap up, and the file with that ConfigMap. */
  readonly lookup: string;
  readonly lookupObjects: string;
  /** Files with AdmissionReviews: a Pod that the policies allow, one that they deny, an object that none is about. */
  readonly review: string;
  readonly deniedReview: string;
  readonly unmatchedReview: string;
}

const root = new URL("../../", import.meta.url).pathname;

/** Finds the inputs; what the corpus does not have, or all of them without a corpus, is written into a folder. */
export async function findInputs(folder: string): Promise<Inputs> {
  const corpus = `${Deno.env.get("CONFORMANCE_CORPUS") ?? `${root}../shared/corpus`}/bench`;
  const found = await exists(`${corpus}/pss-17.yaml`) ? await Deno.realPath(corpus) : undefined;
  const write = async (name: string, text: string): Promise<string> => {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    return `${folder}/${name}`;
  };
  const review = found === undefined
    ? await write("review.json", JSON.stringify(podReview()))
    : `${found}/pod-review.json`;
  const pod: JsonObject = JSON.parse(await Deno.readTextFile(review));
  const shared = {
    none: await write("none.yaml", "# no policies\n"),
    lookup: await write("lookup.yaml", documents([lookUp()])),
    lookupObjects: await write("objects.yaml", documents([allowedTeams()])),
    review,
    deniedReview: await write("denied.json", JSON.stringify(deniedReview(pod))),
  };
  const audited = async (file: string) =>
    await write("audited.yaml", documents(inAudit(await Deno.readTextFile(file))));
  if (found !== undefined) {
    const security = `${found}/pss-17.yaml`;
    return {
      from: "the corpus",
      security,
      audited: await audited(security),
      mutate: `${found}/mutate-10.yaml`,
      others: `${found}/non-matching-983.yaml`,
      cel: `${found}/cel-10.yaml`,
      unmatchedReview: `${found}/cm-review.json`,
      ...shared,
    };
  }
  const rows = (count: number, make: (index: number) => Json) =>
    documents(Array.from({ length: count }, (_, index) => make(index)));
  const security = await write("security.yaml", documents(await securityPolicies()));
  return {
    from: "the project's own policies",
    security,
    audited: await audited(security),
    mutate: await write("mutate.yaml", rows(10, labels)),
    others: await write("others.yaml", rows(983, other)),
    cel: await write("cel.yaml", rows(10, celRule)),
    unmatchedReview: await write("unmatched.json", JSON.stringify(configMapReview(pod))),
    ...shared,
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
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

/** The same policies with Audit as their failure action, which is Kyverno's default. */
function inAudit(policies: string): Json[] {
  return parseDocuments(policies, "policies").documents.map(({ value }) => {
    const policy = value as JsonObject, spec = policy["spec"] as JsonObject;
    return { ...policy, spec: { ...spec, validationFailureAction: "Audit" } };
  });
}

/** A policy that denies what its rule finds. */
function policy(name: string, rule: JsonObject): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name },
    spec: { validationFailureAction: "Enforce", rules: [{ name: "rule", ...rule }] },
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

function celRule(index: number): JsonObject {
  return policy(`cel-${index}`, {
    match: { any: [{ resources: { kinds: ["Pod"] } }] },
    validate: {
      cel: {
        expressions: [{
          expression:
            `object.spec.containers.all(c, !has(c.securityContext) || !(has(c.securityContext.privileged) && c.securityContext.privileged)) && ${index} >= 0`,
          message: "no privileged containers",
        }],
      },
    },
  });
}

/** A policy that reads a ConfigMap at each request. */
function lookUp(): JsonObject {
  return policy("look-up", {
    match: { any: [{ resources: { kinds: ["Pod"] } }] },
    context: [{ name: "teams", configMap: { name: "teams", namespace: "default" } }],
    validate: {
      message: "{{ teams.data.allowed }}",
      deny: { conditions: { any: [{ key: "{{ teams.data.allowed }}", operator: "Equals", value: "none" }] } },
    },
  });
}

function allowedTeams(): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "teams", namespace: "default" },
    data: { allowed: "all" },
  };
}

/** The Pod of a review with a host namespace and a privileged container. */
function deniedReview(review: JsonObject): JsonObject {
  const copy = structuredClone(review) as { request: { object: { spec: { containers: object[] } } } };
  const { spec } = copy.request.object;
  Object.assign(spec, { hostNetwork: true });
  Object.assign(spec.containers[0]!, { securityContext: { privileged: true } });
  return copy as unknown as JsonObject;
}

/** A review of a ConfigMap by the user of another review. */
function configMapReview(review: JsonObject): JsonObject {
  const copy = structuredClone(review) as { request: Record<string, unknown> };
  const type = { group: "", version: "v1" };
  Object.assign(copy.request, {
    kind: { ...type, kind: "ConfigMap" },
    resource: { ...type, resource: "configmaps" },
    requestKind: { ...type, kind: "ConfigMap" },
    requestResource: { ...type, resource: "configmaps" },
    name: "settings",
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "shop" },
      data: { a: "b" },
    },
  });
  return copy as unknown as JsonObject;
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
