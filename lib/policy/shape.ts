/**
 * The fields of policies, as data: what the loader accepts, and what "did you mean" may suggest. A shape is a record of
 * fields, a list of one shape, or `open` for a subtree that the policy's author fills freely.
 */
export type Shape =
  | "open"
  | "text"
  | "flag"
  | "number"
  | { readonly [field: string]: Shape }
  | readonly [Shape];

const selector: Shape = {
  matchLabels: "open",
  matchExpressions: [{ key: "text", operator: "text", values: ["open"] }],
};

const resources: Shape = {
  kinds: ["text"],
  name: "text",
  names: ["text"],
  namespaces: ["text"],
  annotations: "open",
  selector,
  namespaceSelector: selector,
  operations: ["text"],
};

const subjects: Shape = [{ kind: "text", name: "text", namespace: "text", apiGroup: "text" }];

const filter: Shape = { resources, subjects, roles: ["text"], clusterRoles: ["text"] };

/** `match` and `exclude`: any/all blocks, or the direct form with the seeds' spellings. */
const matchShape: Shape = {
  any: [filter],
  all: [filter],
  ...filter,
  ...resources,
  clusterroles: ["text"],
};

const call: Shape = {
  urlPath: "text",
  method: "text",
  data: [{ key: "text", value: "open" }],
  service: { url: "text", caBundle: "text", headers: [{ key: "text", value: "text" }] },
  jmesPath: "text",
  default: "open",
};

const context: Shape = [{
  name: "text",
  configMap: { name: "text", namespace: "text" },
  apiCall: call,
  variable: { value: "open", jmesPath: "text", default: "open" },
  globalReference: { name: "text", jmesPath: "text" },
  imageRegistry: { reference: "text", jmesPath: "text", imageRegistryCredentials: "open" },
}];

const failureAction: Shape = "text";
const overrides: Shape = [{ action: "text", namespaces: ["text"], namespaceSelector: selector }];
const deny: Shape = { conditions: "open" };

const validateForeach = {
  list: "text",
  elementScope: "flag",
  context,
  preconditions: "open",
  pattern: "open",
  anyPattern: "open",
  deny,
  foreach: "open",
} as const;

const mutateForeach = {
  list: "text",
  order: "text",
  context,
  preconditions: "open",
  patchStrategicMerge: "open",
  patchesJson6902: "text",
  foreach: "open",
} as const;

const celParameters = {
  paramKind: { apiVersion: "text", kind: "text" },
  paramRef: { name: "text", namespace: "text", selector, parameterNotFoundAction: "text" },
} as const;

const validate: Shape = {
  message: "open",
  failureAction,
  failureActionOverrides: overrides,
  allowExistingViolations: "flag",
  pattern: "open",
  anyPattern: "open",
  deny,
  foreach: [validateForeach],
  podSecurity: {
    level: "text",
    version: "text",
    exclude: [{ controlName: "text", images: ["text"], restrictedField: "text", values: ["text"] }],
  },
  cel: {
    generate: "flag",
    expressions: [{ expression: "text", message: "text", messageExpression: "text", reason: "text" }],
    auditAnnotations: [{ key: "text", valueExpression: "text" }],
    variables: [{ name: "text", expression: "text" }],
    ...celParameters,
  },
  assert: "open",
  manifests: "open",
};

const generated = {
  apiVersion: "text",
  kind: "text",
  name: "text",
  namespace: "text",
  uid: "text",
  data: "open",
  clone: { name: "text", namespace: "text" },
  cloneList: { namespace: "text", kinds: ["text"], selector },
  context,
  preconditions: "open",
} as const;

const rule: Shape = {
  name: "text",
  context,
  match: matchShape,
  exclude: matchShape,
  preconditions: "open",
  celPreconditions: [{ name: "text", expression: "text" }],
  imageExtractors: "open",
  skipBackgroundRequests: "flag",
  reportProperties: "open",
  validate,
  mutate: {
    patchStrategicMerge: "open",
    overlay: "open",
    patchesJson6902: "text",
    foreach: [mutateForeach],
    mutateExistingOnPolicyUpdate: "flag",
    targets: [{
      apiVersion: "text",
      kind: "text",
      name: "text",
      namespace: "text",
      uid: "text",
      selector,
      context,
      preconditions: "open",
    }],
  },
  generate: {
    ...generated,
    synchronize: "flag",
    orphanDownstreamOnPolicyDelete: "flag",
    generateExisting: "flag",
    foreach: [{ list: "text", ...generated }],
  },
  verifyImages: "open",
};

/** `spec` of ClusterPolicy and Policy. */
export const policySpecShape: Shape = {
  rules: [rule],
  admission: "flag",
  background: "flag",
  emitWarning: "flag",
  applyRules: "text",
  failurePolicy: "text",
  validationFailureAction: failureAction,
  validationFailureActionOverrides: overrides,
  schemaValidation: "flag",
  webhookTimeoutSeconds: "number",
  webhookConfiguration: {
    failurePolicy: "text",
    timeoutSeconds: "number",
    matchConditions: [{ name: "text", expression: "text" }],
  },
  generateExisting: "flag",
  generateExistingOnPolicyUpdate: "flag",
  mutateExistingOnPolicyUpdate: "flag",
  useServerSideApply: "flag",
};

/** `spec` of PolicyException. */
export const exceptionSpecShape: Shape = {
  background: "flag",
  match: matchShape,
  conditions: "open",
  exceptions: [{ policyName: "text", ruleNames: ["text"] }],
  podSecurity: [{ controlName: "text", images: ["text"], restrictedField: "text", values: ["text"] }],
};
