import type { JsonObject } from "../../json/mod.ts";
import { type Installation, managedBy } from "../installation.ts";
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
    groups: ["kyverno.io", "policies.kyverno.io"],
    resources: [
      "clusterpolicies",
      "policies",
      "validatingpolicies",
      "namespacedvalidatingpolicies",
      "mutatingpolicies",
      "namespacedmutatingpolicies",
      "generatingpolicies",
      "namespacedgeneratingpolicies",
      "imagevalidatingpolicies",
      "namespacedimagevalidatingpolicies",
      "deletingpolicies",
      "namespaceddeletingpolicies",
    ],
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "exception-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/exceptionvalidate",
    groups: ["kyverno.io"],
    resources: ["policyexceptions"],
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "cel-exception-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/celexception/validate",
    groups: ["policies.kyverno.io"],
    resources: ["policyexceptions"],
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "global-context-validating-webhook-cfg",
    webhook: "kyverno-svc",
    path: "/globalcontextvalidate",
    groups: ["kyverno.io"],
    resources: ["globalcontextentries"],
    operations: writes,
    failurePolicy: "Fail",
  },
  {
    name: "cleanup-validating-webhook-cfg",
    webhook: "kyverno-cleanup-controller",
    path: "/cleanupvalidate",
    groups: ["kyverno.io"],
    resources: ["cleanuppolicies", "clustercleanuppolicies"],
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
      metadata: { name: `${installation.prefix}-${name}`, labels: { ...managedBy } },
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
