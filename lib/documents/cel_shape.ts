import type { Shape } from "../shape/mod.ts";

const named: Shape = [{ name: "text", expression: "text" }];

const resourceRules: Shape = [{
  apiGroups: ["text"],
  apiVersions: ["text"],
  resources: ["text"],
  resourceNames: ["text"],
  operations: ["text"],
  scope: "text",
}];

const selector: Shape = {
  matchLabels: "open",
  matchExpressions: [{ key: "text", operator: "text", values: ["text"] }],
};

const matchResources = {
  resourceRules,
  excludeResourceRules: resourceRules,
  namespaceSelector: selector,
  objectSelector: selector,
  matchPolicy: "text",
} as const satisfies Shape;

/** The fields that all kinds of CEL policies may have. */
export const celPolicySpecShape: Shape = {
  matchConstraints: matchResources,
  matchConditions: named,
  variables: named,
  failurePolicy: "text",
  validations: [{ expression: "text", message: "text", messageExpression: "text", reason: "text" }],
  validationActions: ["text"],
  auditAnnotations: [{ key: "text", valueExpression: "text" }],
  paramKind: { apiVersion: "text", kind: "text" },
  mutations: [{
    patchType: "text",
    applyConfiguration: { expression: "text" },
    jsonPatch: { expression: "text" },
  }],
  targetMatchConstraints: { ...matchResources, expression: "text" },
  targetMatchConditions: named,
  reinvocationPolicy: "text",
  generate: [{ expression: "text", template: { value: "text", interpolate: "text" } }],
  conditions: named,
  schedule: "text",
  deletionPropagationPolicy: "text",
  evaluation: "open",
  autogen: "open",
  webhookConfiguration: "open",
  useServerSideApply: "flag",
};
