/** Reviews of policies in a cluster whose API server describes its kinds. */
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, ServedResource } from "../../lib/ports.ts";
import { reviewer } from "./reviewer.ts";

function resource(group: string, kind: string, subresources: readonly string[] = []): ServedResource {
  return {
    group,
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
    verbs: [],
    subresources: subresources.map((name) => ({ name, kind })),
    preferred: true,
  };
}

const served = [
  resource("", "Pod", ["exec"]),
  resource("", "ConfigMap"),
  resource("apps", "DaemonSet"),
  resource("apps", "Deployment", ["scale"]),
];

function schemaOf(group: string, kind: string, properties: JsonObject): JsonObject {
  const type = { group, version: "v1", kind };
  return { type: "object", properties, "x-kubernetes-group-version-kind": [type] };
}

export const text = { type: "string" };

/** The documents of OpenAPI that the API server publishes. */
const documents: Readonly<Record<string, JsonObject>> = {
  "/openapi/v3/apis/apps/v1": {
    DaemonSet: schemaOf("apps", "DaemonSet", { spec: { type: "object", properties: { paused: text } } }),
    Deployment: schemaOf("apps", "Deployment", {
      spec: { type: "object", properties: { replicas: { type: "integer" } } },
    }),
  },
  "/openapi/v3/api/v1": {
    ConfigMap: schemaOf("", "ConfigMap", { data: { type: "object", additionalProperties: text } }),
  },
};

export const calls: ApiCall[] = [];

export function reviews(call: (path: string) => Promise<Answer>): ObjectReviews {
  return new ObjectReviews({
    cluster: {
      call: (each) => {
        calls.push(each);
        return each.method === "POST" ? Promise.resolve(rights(each)) : call(each.path);
      },
      resource: () => Promise.resolve(undefined),
    },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    accounts: { background: "b", reports: "r", cleanup: "c" },
    compiling: { dialect: "current" },
    exceptionNamespace: "",
    roomProblem: () => undefined,
  });
}

/** An account may read all but DaemonSets and Pods' subresources, and may not change anything that exists. */
function rights(call: ApiCall): Answer {
  const attributes = dig(call.body ?? null, "spec", "resourceAttributes") ?? null;
  const verb = asString(dig(attributes, "verb")) ?? "", resource = asString(dig(attributes, "resource"));
  const allowed = !["update", "delete"].includes(verb) && resource !== "daemonsets" &&
    dig(attributes, "subresource") !== "exec";
  return { ok: true, status: 201, body: { status: { allowed } } };
}

export async function document(path: string): Promise<Answer> {
  const schemas = documents[path];
  return schemas === undefined
    ? { ok: false, status: 404, message: "not found" }
    : { ok: true, status: 200, body: { components: { schemas } } };
}

export const review = reviewer(reviews(document));

export function policy(
  rule: string,
  { kind = "ClusterPolicy", annotation = "", spec = "background: false" } = {},
): string {
  return `apiVersion: kyverno.io/v1\nkind: ${kind}\nmetadata:\n  name: p\n  annotations: {${annotation}}\n` +
    `spec:\n  ${spec}\n  rules:\n  - name: r\n    ${rule.replaceAll("\n", "\n    ")}\n`;
}

export function on(...kinds: string[]): string {
  return `match: {any: [{resources: {kinds: [${kinds.map((kind) => `"${kind}"`).join(", ")}]}}]}`;
}

export const pattern = "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}";

export const path = "spec.rules[0].validate.cel.expressions[0]";
