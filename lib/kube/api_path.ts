/** A parsed path of the Kubernetes API. */
export type ApiPath =
  | { readonly at: "resource"; readonly resource: ResourcePath }
  /** `/api`, `/apis`, `/apis/GROUP`, `/api/v1`, `/apis/GROUP/VERSION`. */
  | { readonly at: "versions" | "groups" }
  | { readonly at: "group"; readonly group: string }
  | { readonly at: "kinds"; readonly group: string; readonly version: string }
  /** Any other path, such as `/version` and `/healthz`. */
  | { readonly at: "other"; readonly path: string };

/** The path of a collection, of a namespace's objects, of one object, or of its subresource. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** A parsed path and its query. */
export interface ParsedPath {
  readonly path: ApiPath;
  readonly query: URLSearchParams;
}

/**
 * Parses a request path. `undefined` for a relative path, empty segments, segments that are `.` or `..` even when
 * escaped, and broken escapes: the API server reads these as other paths or refuses them.
 *
 * ```ts
 * import { parseApiPath } from "./api_path.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseApiPath("/apis/apps/v1/namespaces/a/deployments/web/status")?.path, {
 *   at: "resource",
 *   resource: {
 *     group: "apps", version: "v1", plural: "deployments", namespace: "a", name: "web", subresource: "status",
 *   },
 * });
 * assert.equal(parseApiPath("/api/v1/namespaces/a/configmaps/%2e%2e"), undefined);
 * ```
 */
export function parseApiPath(text: string): ParsedPath | undefined {
  const mark = text.indexOf("?");
  const parts = segmentsOf(mark < 0 ? text : text.slice(0, mark));
  if (parts === undefined) return undefined;
  return { path: classify(parts), query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

/**
 * The decoded segments of a path without its query; `undefined` when it is not safe to send: see {@link
 * parseApiPath}. One slash at the end is allowed, as in the API server.
 */
export function segmentsOf(path: string): string[] | undefined {
  // deno-lint-ignore no-control-regex
  if (!path.startsWith("/") || /[\\?#\u0000-\u0020\u007f]/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.replace(/\/$/, "").split("/").slice(1)) {
    const decoded = unescaped(part);
    if (decoded === undefined || decoded === "" || decoded === "." || decoded === "..") return undefined;
    if (decoded.includes("/")) return undefined;
    parts.push(decoded);
  }
  return parts;
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function classify(parts: readonly string[]): ApiPath {
  const [root, first, second] = parts;
  if (root === "api") {
    if (first === undefined) return { at: "versions" };
    return under("", first, parts.slice(2));
  }
  if (root === "apis") {
    if (first === undefined) return { at: "groups" };
    if (second === undefined) return { at: "group", group: first };
    return under(first, second, parts.slice(3));
  }
  return { at: "other", path: `/${parts.join("/")}` };
}

/** The segments that may follow `namespaces/NAME/` and still belong to the Namespace itself. */
const namespaceParts = new Set(["status", "finalize"]);

function under(group: string, version: string, parts: readonly string[]): ApiPath {
  if (parts.length === 0) return { at: "kinds", group, version };
  const inside = parts[0] === "namespaces" && parts.length > 2 && !namespaceParts.has(parts[2]!);
  const [plural, name, subresource, ...rest] = inside ? parts.slice(2) : parts;
  if (plural === undefined || rest.length > 0) return { at: "other", path: parts.join("/") };
  const namespace = inside ? parts[1] : undefined;
  return { at: "resource", resource: { group, version, plural, namespace, name, subresource } };
}
