import { builtinKind, parseApiVersion, pluralOf } from "../kube/mod.ts";

/**
 * A resource, path, service or registry that a rule reads from outside its request, as far as its text shows it.
 * `manifests` derives RBAC, and the hosts that the pods may call, from it.
 */
export type Need =
  /** Rights to a resource of the API; of one object where it is named. */
  | {
    readonly kind: "resource";
    readonly group: string;
    /** Plural, with a subresource behind `/`. */
    readonly resource: string;
    readonly verbs: readonly string[];
    readonly name?: string;
  }
  /** A raw call to the API server. */
  | {
    readonly kind: "path";
    /** With variables as they are written. */
    readonly path: string;
    readonly method: "GET" | "POST";
    /** The caller, for remarks: `context entry teams`. */
    readonly caller: string;
  }
  /** Rights that only a request determines; `what` is a phrase for remarks: `which objects it generates`. */
  | { readonly kind: "unknown"; readonly what: string }
  /** A call to a service. The URL may be cut off, or hold variables, where only a request determines the rest. */
  | { readonly kind: "service"; readonly url: string }
  | { readonly kind: "registry" }
  | { readonly kind: "globalEntry" }
  /** A SubjectAccessReview. */
  | { readonly kind: "accessReview" }
  /** The labels of the request's namespace, before rules are matched. */
  | { readonly kind: "namespaceLabels" }
  /** The Namespace of the request, while a rule is evaluated. */
  | { readonly kind: "namespace" }
  /** The roles of the user who sent the request. */
  | { readonly kind: "roles" };

/** The objects of a kind that a rule reads: all of them, a part, or one. */
export interface NeededKind {
  /** Empty for the preferred version of a built-in kind. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource?: string | undefined;
  readonly name?: string;
}

/** Rights to the objects of a kind. */
export function kindNeed(
  { apiVersion, kind, subresource, name }: NeededKind,
  verbs: readonly string[],
): Need {
  const group = apiVersion === "" ? builtinKind(kind)?.group ?? "" : parseApiVersion(apiVersion).group;
  const resource = subresource === undefined ? pluralOf(kind) : `${pluralOf(kind)}/${subresource}`;
  return { kind: "resource", group, resource, verbs, ...(name !== undefined && { name }) };
}

/** Whether one of the paths that an expression reads leads to the roles of the user, or to the whole request. */
export function readsRoles(paths: readonly (readonly string[])[]): boolean {
  return paths.some(([root, field]) =>
    root === "request" &&
    (field === undefined || field === "roles" || field === "clusterRoles" || field === "[]")
  );
}
