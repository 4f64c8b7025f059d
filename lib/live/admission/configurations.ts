import type { JsonObject } from "../../json/mod.ts";
import { policyObjectKinds, type PolicyObjectRole } from "../../policy/mod.ts";
import { configurationLabels, type Installation } from "../installation.ts";
import { clientConfig } from "../webhooks/configurations.ts";

/** A webhook for objects of policy kinds. */
interface ObjectWebhook {
  /** The suffix of the configuration's name. */
  readonly name: string;
  readonly webhook: string;
  readonly path: string;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly failurePolicy: "Fail" | "Ignore";
  readonly objectSelector?: JsonObject;
}

const writes = ["CREATE", "UPDATE"];

/** The webhooks for policies, exceptions, global context entries, cleanup policies and TTL labels. */
const objectWebhooks: readonly ObjectWebhook[] = [
  {
    name: "policy-validating-webhook-cfg",
    webhook: "validate-policy",
    path: "/policyvalidate",
    ...objectsOf("classic", "cel", "deleting"),
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "exception-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/exceptionvalidate",
    ...objectsOf("exception"),
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "cel-exception-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/celexception/validate",
    ...objectsOf("cel-exception"),
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "global-context-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/globalcontextvalidate",
    ...objectsOf("global-context"),
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "cleanup-validating-webhook-cfg",
    webhook: "kyverno-cleanup-controller",
    path: "/cleanupvalidate",
    ...objectsOf("cleanup"),
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "ttl-validating-webhook-cfg",
    webhook: "kyverno-cleanup-controller",
    path: "/verifyttl",
    groups: ["*"],
    resources: ["*"],
    operations: writes,
    failurePolicy: "Ignore",
    objectSelector: { matchExpressions: [{ key: "cleanup.kyverno.io/ttl", operator: "Exists" }] },
  },
];

/** The objects of the roles. */
function objectsOf(...roles: readonly PolicyObjectRole[]): Pick<ObjectWebhook, "groups" | "resources"> {
  const kinds = policyObjectKinds.filter(({ role }) => roles.includes(role));
  return {
    groups: [...new Set(kinds.map(({ group }) => group))],
    resources: kinds.map(({ plural }) => plural),
  };
}

/** The names of the configurations for objects of policy kinds. */
export function objectConfigurationNames(prefix: string): string[] {
  return objectWebhooks.map(({ name }) => `${prefix}-${name}`);
}

/** The webhook configurations for objects of policy kinds. They do not depend on policies and exist from the start. */
export function objectConfigurations(installation: Installation): JsonObject[] {
  return objectWebhooks.map(
    ({ name, webhook, path, groups, resources, operations, failurePolicy, objectSelector }) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: `${installation.prefix}-${name}`, labels: configurationLabels(installation.prefix) },
      webhooks: [{
        name: `${webhook.replace("kyverno", installation.prefix)}.${installation.prefix}.svc`,
        clientConfig: clientConfig(installation, path),
        rules: [{
          apiGroups: [...groups],
          apiVersions: ["*"],
          operations: [...operations],
          resources: [...resources],
          scope: "*",
        }],
        failurePolicy,
        matchPolicy: "Equivalent",
        sideEffects: "None",
        timeoutSeconds: 10,
        admissionReviewVersions: ["v1"],
        ...(objectSelector !== undefined && { objectSelector }),
      }],
    }),
  );
}
