import { objectConfigurationNames } from "./admission/configurations.ts";
import type { JsonObject } from "../json/mod.ts";
import { configurationLabels } from "./installation.ts";
import { resourceConfigurationNames } from "./webhooks/configurations.ts";

/**
 * The webhook configurations of an installation before a replica can answer: without webhooks. The leader adds
 * webhooks, and applying these configurations again leaves them in place.
 */
export function emptyWebhookConfigurations(prefix: string): JsonObject[] {
  const { validate, mutate } = resourceConfigurationNames(prefix);
  const empty = (kind: string, name: string): JsonObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name, labels: configurationLabels(prefix) },
  });
  return [
    ...[...objectConfigurationNames(prefix), validate].map((name) =>
      empty("ValidatingWebhookConfiguration", name)
    ),
    empty("MutatingWebhookConfiguration", mutate),
  ];
}
