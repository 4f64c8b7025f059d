const prefix = "system:serviceaccount:";

/** A service account by name and namespace. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The service account of a user name; `undefined` when the user is not a service account. */
export function parseServiceAccount(username: string): ServiceAccount | undefined {
  if (!username.startsWith(prefix)) return undefined;
  const [namespace, name, ...rest] = username.slice(prefix.length).split(":");
  return namespace === undefined || name === undefined || rest.length > 0 ? undefined : { namespace, name };
}

/**
 * The variables `serviceAccountNamespace` and `serviceAccountName`; both are empty for other users.
 * Kyverno parity: Kyverno checks only the length of the prefix; pinned by "a long user name with colons".
 *
 * ```ts
 * import { serviceAccountVariables } from "./service_account.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(serviceAccountVariables("system:serviceaccount:ci:bot"), { namespace: "ci", name: "bot" });
 * assert.deepEqual(serviceAccountVariables("alice"), { namespace: "", name: "" });
 * ```
 */
export function serviceAccountVariables(username: string): ServiceAccount {
  const parts = username.length <= prefix.length ? [] : username.slice(prefix.length).split(":");
  const [namespace, name] = parts;
  return namespace === undefined || name === undefined ? { namespace: "", name: "" } : { namespace, name };
}
