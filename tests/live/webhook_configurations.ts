/** The webhook configurations of policies in a cluster that serves a few kinds. */
import { compile } from "../../lib/engine/mod.ts";
import { completed, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { CachedTargets } from "../../lib/live/webhooks/cached_targets.ts";
import { policyConditions } from "../../lib/live/webhooks/match_conditions.ts";
import { resourceConfigurations } from "../../lib/live/webhooks/configurations.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import type { Installation } from "../../lib/live/mod.ts";
import type { ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const installation: Installation = {
  namespace: "kyverno",
  service: "kyverno-svc",
  servicePort: 443,
  prefix: "kyverno",
  path: "",
  caBundle: () => "Y2E=",
  configMap: "kyverno",
  accounts: { background: "b", reports: "r", cleanup: "c" },
};

function resource(
  group: string,
  version: string,
  kind: string,
  rest: Partial<ServedResource> = {},
): ServedResource {
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version,
    kind,
    plural,
    namespaced: true,
    verbs: ["create"],
    subresources: [],
    preferred: true,
    ...rest,
  };
}

const served: readonly ServedResource[] = [
  resource("", "v1", "Pod", {
    subresources: [{ name: "exec", kind: "PodExecOptions" }, { name: "ephemeralcontainers", kind: "Pod" }],
  }),
  resource("", "v1", "ConfigMap"),
  resource("", "v1", "Secret"),
  resource("", "v1", "Namespace", { namespaced: false }),
  resource("", "v1", "Node", { namespaced: false }),
  resource("apps", "v1", "Deployment", { subresources: [{ name: "scale", kind: "Scale" }] }),
  resource("autoscaling", "v2", "Scaler"),
  resource("autoscaling", "v1", "Scaler", { preferred: false }),
];

export function configurations(policies: string, configMap?: JsonObject): { validate: Json; mutate: Json } {
  const { policies: compiled } = compile(parseDocuments(policies, "policies.yaml").documents, {
    dialect: "current",
  });
  const { webhooks, filters } = readConfiguration(configMap, { namespace: "kyverno" });
  const [validate, mutate] = completed(resourceConfigurations({
    policies: compiled,
    served,
    targetsOf: new CachedTargets().among(served),
    conditionsOf: policyConditions,
    installation,
    settings: webhooks,
    filters,
  }));
  return { validate: validate!.object, mutate: mutate!.object };
}

interface PolicyParts {
  readonly kind?: string;
  readonly name?: string;
  readonly match: string;
  readonly body?: string;
  readonly spec?: string;
}

export function policy({ kind = "ClusterPolicy", name = "p", match, body, spec = "" }: PolicyParts): string {
  return `
apiVersion: kyverno.io/v1
kind: ${kind}
metadata: {name: ${name}, ${
    kind === "Policy" ? "namespace: team, " : ""
  }annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  ${spec}
  rules:
  - name: r
    ${match}
    ${body ?? "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}"}
`;
}

export const all = ["CONNECT", "CREATE", "DELETE", "UPDATE"];

const onPods = "[{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]";

/** A ValidatingPolicy with conditions, one an expression. */
export function celPolicy(name: string, conditions: readonly string[], spec = ""): string {
  const written = conditions.map((expression, index) =>
    `{name: c${index}, expression: ${JSON.stringify(expression)}}`
  );
  return `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  matchConstraints: {resourceRules: ${onPods}}
  matchConditions: [${written.join(", ")}]
  validations: [{expression: "true"}]
`;
}

export const noControllers = "autogen: {podControllers: {controllers: []}}";
