/**
 * The verb and the resource of a call to the API server, in Kubernetes' words: `list` of `pods`. Metrics and traces
 * use it as label.
 */
export interface ApiQuery {
  readonly operation: string;
  /** The plural name; empty for a path without a resource, such as discovery. */
  readonly resource: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Matches `/api/v1`, or `/apis/GROUP/VERSION`, and perhaps a namespace. */
const resourcePath =
  /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/(?<resource>[a-z0-9.-]+)(?<name>\/[^?]+)?(?:\?|$)/;

/** Derives verb and resource from a call's method and path. */
export function apiQuery(method: string, path: string): ApiQuery {
  const { resource = "", name } = resourcePath.exec(path)?.groups ?? {};
  const operation = verbs[method] ?? (name === undefined && resource !== "" ? "list" : "get");
  return { operation, resource };
}
