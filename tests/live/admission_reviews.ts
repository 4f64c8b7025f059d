/** Reviews of policies, and of the objects that belong to them, in a cluster whose accounts have few rights. */
import { dig } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Cluster, ServedResource } from "../../lib/ports.ts";
import { reviewer } from "./reviewer.ts";

function resource(group: string, kind: string, namespaced = true): ServedResource {
  const plural = kind === "NetworkPolicy" ? "networkpolicies" : `${kind.toLowerCase()}s`;
  return {
    group,
    version: "v1",
    kind,
    plural,
    namespaced,
    verbs: [],
    subresources: kind === "Pod"
      ? [{ name: "exec", kind: "PodExecOptions" }]
      : kind === "ConfigMap" || kind === "Secret"
      ? [{ name: "status", kind }]
      : [],
    preferred: true,
  };
}

const served = [
  resource("", "Pod"),
  resource("", "ConfigMap"),
  resource("", "Secret"),
  resource("", "Namespace", false),
  resource("rbac.authorization.k8s.io", "ClusterRole", false),
  resource("a.io", "Realm", false),
];

/** The calls to the cluster so far. */
export const calls: ApiCall[] = [];

/**
 * A cluster where accounts may write ConfigMaps, the Secret `old` and those of `granted`, and nothing else; `r` may
 * read all.
 */
const cluster: Cluster = {
  call: (call: ApiCall): Promise<Answer> => {
    calls.push(call);
    const attributes = dig(call.body ?? null, "spec", "resourceAttributes") ?? null;
    const resource = dig(attributes, "resource");
    const isWhole = dig(attributes, "subresource") === undefined;
    const mayReport = dig(call.body ?? null, "spec", "user") === "r";
    const allowed = mayReport || resource === "configmaps" && isWhole ||
      resource === "secrets" &&
        (dig(attributes, "name") === "old" || dig(attributes, "namespace") === "granted");
    return Promise.resolve({ ok: true, status: 201, body: { status: { allowed } } });
  },
  resource: () => Promise.resolve(undefined),
};

const reviews = new ObjectReviews({
  cluster,
  discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
  accounts: {
    background: "system:serviceaccount:kyverno:background",
    reports: "r",
    cleanup: "system:serviceaccount:kyverno:cleanup",
  },
  compiling: { dialect: "current" },
  exceptionNamespace: "team",
  roomProblem: (object) => nameOf(object) === "one-too-many" ? "there is no room" : undefined,
});

export const review = reviewer(reviews);

export function policy(rule: string, spec = "", head = "kind: ClusterPolicy\nmetadata: {name: p}"): string {
  return `apiVersion: kyverno.io/v1\n${head}\nspec:\n  ${spec}\n  rules:\n  - name: r\n    ${
    rule.replaceAll("\n", "\n    ")
  }\n`;
}

export const onPods = "match: {any: [{resources: {kinds: [Pod]}}]}";

export const pattern = "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}";

export const generate = (text: string): string =>
  `match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: ${text}`;
