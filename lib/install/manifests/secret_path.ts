import type { JsonObject } from "../../json/mod.ts";
import { type ManifestOptions, metadata, pathSecret } from "./manifest_options.ts";

/** The environment variable with the server's secret path, and the field of its Secret. */
const variable = "POSTERN_SECRET_PATH", field = "path";

/** The Secret with the path below which the pods accept reviews. The webhook configurations contain the path itself. */
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

/** The environment of a pod that reads the path. */
export function secretPathVariables({ secretPath }: ManifestOptions): JsonObject[] {
  if (secretPath === undefined) return [];
  return [{ name: variable, valueFrom: { secretKeyRef: { name: pathSecret, key: field } } }];
}

/** The names of the variables that a pod must be allowed to read for it. */
export function secretPathVariableNames({ secretPath }: ManifestOptions): string[] {
  return secretPath === undefined ? [] : [variable];
}
