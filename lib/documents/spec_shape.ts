import { admissionOperations } from "../kube/mod.ts";
import { sectionShape } from "../rules/mod.ts";
import { contextShape } from "../context/mod.ts";
import { selectorShape, type Shape } from "../shape/mod.ts";

const resources: Shape = {
  kinds: ["text"],
  name: "text",
  names: ["text"],
  namespaces: ["text"],
  annotations: "open",
  selector: selectorShape,
  namespaceSelector: selectorShape,
  operations: [new Set(admissionOperations)],
};

const subjects: Shape = [{ kind: "text", name: "text", namespace: "text", apiGroup: "text" }];

const filter: Shape = { resources, subjects, roles: ["text"], clusterRoles: ["text"] };

/** `match` and `exclude`: any/all blocks, or the direct form with older spellings. */
const matchShape: Shape = {
  any: [filter],
  all: [filter],
  ...filter,
  ...resources,
  clusterroles: ["text"],
};

const failurePolicy: Shape = new Set(["Fail", "Ignore"]);
/** In `validate.failureAction` the lower-case actions of Kyverno's first versions are refused. */
const earlyAction: Shape = new Set(["Audit", "Enforce", "audit", "enforce"]);
const overrides: Shape = [{ action: earlyAction, namespaces: ["text"], namespaceSelector: selectorShape }];
const rule: Shape = {
  name: "text",
  context: contextShape,
  match: matchShape,
  exclude: matchShape,
  preconditions: "open",
  celPreconditions: [{ name: "text", expression: "text" }],
  imageExtractors: "open",
  skipBackgroundRequests: "flag",
  reportProperties: "open",
  validate: {
    message: "text",
    failureAction: new Set(["Audit", "Enforce"]),
    failureActionOverrides: overrides,
    allowExistingViolations: "flag",
    ...sectionShape("validate"),
  },
  mutate: sectionShape("mutate"),
  generate: sectionShape("generate"),
  verifyImages: [sectionShape("verifyImages")],
};

/** `spec` of ClusterPolicy and Policy. */
export const policySpecShape: Shape = {
  rules: [rule],
  admission: "flag",
  background: "flag",
  emitWarning: "flag",
  applyRules: new Set(["All", "One"]),
  failurePolicy,
  validationFailureAction: earlyAction,
  validationFailureActionOverrides: overrides,
  schemaValidation: "flag",
  webhookTimeoutSeconds: "number",
  webhookConfiguration: {
    failurePolicy,
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
