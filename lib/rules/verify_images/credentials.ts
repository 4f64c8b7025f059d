import { asList, asString, dig, field, type JsonObject } from "../../json/mod.ts";
import { namespaceOf, podTemplatePaths } from "../../kube/mod.ts";
import type { RegistryCredentials } from "../../ports.ts";

/** `NAMESPACE/NAME` of the image pull secrets of a Pod, or of the template of its controller. */
export function pullSecretsOf(object: JsonObject): string[] {
  // Custom resources may have Pod specs too, so every kind is read.
  for (const template of new Set(podTemplatePaths.values())) {
    const secrets = dig(object, ...template, "spec", "imagePullSecrets");
    if (!Array.isArray(secrets)) continue;
    const names = asList(secrets).flatMap((secret) => asString(field(secret, "name")) || []);
    return names.map((name) => `${namespaceOf(object) || "default"}/${name}`);
  }
  return [];
}

/** The credentials with additional pull secrets. */
export function withPullSecrets(
  credentials: RegistryCredentials,
  pullSecrets: readonly string[],
): RegistryCredentials {
  if (pullSecrets.length === 0) return credentials;
  return { ...credentials, secrets: [...credentials.secrets ?? [], ...pullSecrets] };
}
