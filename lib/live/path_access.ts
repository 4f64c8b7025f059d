import { withoutEnding } from "../json/mod.ts";
import { markVariables } from "../template/mod.ts";

/** An access to the API, as a role's rule grants it. */
export type Access =
  | {
    readonly group: string;
    readonly resource: string;
    readonly verb: string;
    /** The only object of the access. */
    readonly name?: string;
  }
  | { readonly path: string; readonly verb: string };

/** Replaces a variable in a path while it is parsed. */
const variable = "\u0001";

/**
 * The right that a call of `apiCall.urlPath` needs; `undefined` when group or resource are variables.
 *
 * ```ts
 * import { accessOf } from "./path_access.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(
 *   accessOf("/apis/apps/v1/namespaces/{{ request.namespace }}/deployments?limit=1", "GET"),
 *   { group: "apps", resource: "deployments", verb: "list" },
 * );
 * ```
 */
export function accessOf(urlPath: string, method: "GET" | "POST"): Access | undefined {
  const path = withoutEnding(markVariables(urlPath, variable).split("?")[0]!, "/");
  const [, root, ...rest] = path.split("/");
  if (path.split("/")[0] !== "" || root === undefined || root.includes(variable)) return undefined;
  if (root !== "api" && root !== "apis") return { path, verb: method === "GET" ? "get" : "post" };
  const group = root === "api" ? "" : rest.shift() ?? "";
  const [version, ...steps] = rest;
  if (version === undefined || steps.length === 0) return { path, verb: method === "GET" ? "get" : "post" };
  // `/namespaces/NAME` alone is a Namespace; with more segments, an object in the namespace.
  const [plural, name, subresource] = steps[0] === "namespaces" && steps.length > 2 ? steps.slice(2) : steps;
  if (plural === undefined || [group, plural, subresource ?? ""].some((each) => each.includes(variable))) {
    return undefined;
  }
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  if (method === "POST") return { group, resource, verb: "create" };
  if (name === undefined) return { group, resource, verb: "list" };
  return { group, resource, verb: "get", ...(!name.includes(variable) && { name }) };
}
