import type { JsonObject } from "../../json/mod.ts";
import { type ManifestOptions, metadata, pathSecret } from "./manifest_options.ts";

/** The variable by which the server reads its secret path, and the field of the Secret that has it. */
const variable = "POSTERN_SECRET_PATH", field = "path";

/** The Secret with the path below which the pods take reviews. The webhook configurations have the path itself. */
export function secretPathObjects({ namespace, secretPath }: ManifestOptions): JsonObject[] {
  if (secretPath === undefined) return [];
  const data = { [field]: btoa(secretPath) };
  return [{
    apiVersion: "v1",
    kind: "Secret",
    metadata: metadata(pathSecret, namespace),
    type: "Opaque",
    data,
  }];
}

/** The environment of a pod that knows the path. */
export function secretPathVariables({ secretPath }: ManifestOptions): JsonObject[] {
  if (secretPath === undefined) return [];
  return [{ name: variable, valueFrom: { secretKeyRef: { name: pathSecret, key: field } } }];
}

/** Names of the variables that a pod must be allowed to read for it. */
export function secretPathVariableNames({ secretPath }: ManifestOptions): string[] {
  return secretPath === undefined ? [] : [variable];
}
