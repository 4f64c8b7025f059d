import { type Json, textField } from "../json/mod.ts";

/** The type of a resource in the Kubernetes API; the core group is `""`. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The group and version of an `apiVersion`: `apps/v1`, or `v1` for the core group. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The `apiVersion` of a group and version. */
export function formatApiVersion(type: { readonly group: string; readonly version: string }): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/**
 * The type that a resource names in `apiVersion` and `kind`; missing fields are empty.
 *
 * ```ts
 * import { typeOf } from "./group_version_kind.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(typeOf({ apiVersion: "apps/v1", kind: "Deployment" }), {
 *   group: "apps",
 *   version: "v1",
 *   kind: "Deployment",
 * });
 * ```
 */
export function typeOf(resource: Json): GroupVersionKind {
  const { group, version } = parseApiVersion(textField(resource, "apiVersion"));
  return { group, version, kind: textField(resource, "kind") };
}
