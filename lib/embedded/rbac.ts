import { asList, asString, dig, field, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { compileLabelSelector, labelsOf, nameOf, namespaceOf, parseServiceAccount } from "../kube/mod.ts";

/** The attributes of a SubjectAccessReview: a user, a verb, and a resource or path. */
export interface AccessAttributes {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  /** The resource; its fields are empty where the review has none. */
  readonly resource?: {
    readonly group: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** A path outside the resources, such as `/healthz`. */
  readonly path?: string;
}

/** The decision and its reason; the reason is empty when nothing allows the access. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The RBAC objects of a decision. */
export interface RbacObjects {
  readonly roles: readonly JsonObject[];
  readonly roleBindings: readonly JsonObject[];
  readonly clusterRoles: readonly JsonObject[];
  readonly clusterRoleBindings: readonly JsonObject[];
}

/**
 * Decides as the API server's RBAC authorizer: cluster role bindings first, then the role bindings of the namespace;
 * members of `system:masters` have all rights. An aggregated cluster role has the rules of the roles that it selects.
 */
export function authorize(attributes: AccessAttributes, objects: RbacObjects): AccessAnswer {
  if (attributes.groups.includes("system:masters")) return { allowed: true, reason: "" };
  const missing: string[] = [];
  for (const [binding, namespace] of applicable(attributes, objects)) {
    const subject = asList(field(binding, "subjects")).find((each) => isSubject(each, attributes, namespace));
    if (subject === undefined) continue;
    const role = { kind: textOf(binding, "roleRef", "kind"), name: textOf(binding, "roleRef", "name") };
    const rules = rulesOf(role, namespace, objects);
    if (rules === undefined) {
      missing.push(`${role.kind.toLowerCase()}.rbac.authorization.k8s.io "${role.name}" not found`);
    } else if (rules.some((rule) => ruleAllows(rule, attributes))) {
      const reason = `${describe(binding, namespace)} of ${role.kind} "${role.name}" to ${
        describeSubject(subject, namespace)
      }`;
      return { allowed: true, reason: `RBAC: allowed by ${reason}` };
    }
  }
  const problems = [...new Set(missing)];
  if (problems.length === 0) return { allowed: false, reason: "" };
  return {
    allowed: false,
    reason: `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`}`,
  };
}

/** The bindings to check, each with its namespace; empty for the whole cluster. */
function* applicable(attributes: AccessAttributes, objects: RbacObjects): Generator<[JsonObject, string]> {
  for (const binding of objects.clusterRoleBindings) yield [binding, ""];
  const namespace = attributes.resource?.namespace ?? "";
  if (namespace === "") return;
  for (const binding of objects.roleBindings) {
    if (namespaceOf(binding) === namespace) yield [binding, namespace];
  }
}

/** Whether a binding's subject is this user. A service account without a namespace is in the binding's. */
function isSubject(
  subject: Json,
  user: { readonly user: string; readonly groups: readonly string[] },
  namespace: string,
): boolean {
  const name = textOf(subject, "name");
  switch (textOf(subject, "kind")) {
    case "User":
      return user.user === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount": {
      const account = parseServiceAccount(user.user);
      const home = textOf(subject, "namespace") || namespace;
      return account !== undefined && home !== "" && account.namespace === home && account.name === name;
    }
    default:
      return false;
  }
}

function rulesOf(
  role: { readonly kind: string; readonly name: string },
  namespace: string,
  objects: RbacObjects,
): readonly Json[] | undefined {
  if (role.kind === "ClusterRole") {
    const found = objects.clusterRoles.find((each) => nameOf(each) === role.name);
    return found === undefined ? undefined : clusterRules(found, objects.clusterRoles, new Set());
  }
  const found = objects.roles.find((each) => nameOf(each) === role.name && namespaceOf(each) === namespace);
  return found === undefined ? undefined : asList(field(found, "rules"));
}

/** The rules of a cluster role; for an aggregated one, those of all roles that its selectors select, at any depth. */
function clusterRules(role: JsonObject, all: readonly JsonObject[], seen: Set<string>): readonly Json[] {
  if (seen.has(nameOf(role))) return [];
  seen.add(nameOf(role));
  const selectors = asList(dig(role, "aggregationRule", "clusterRoleSelectors"))
    .flatMap((selector) => {
      const selects = compileLabelSelector(selector);
      return isFault(selects) ? [] : [selects];
    });
  if (selectors.length === 0) return asList(field(role, "rules"));
  const chosen = all.filter((each) => selectors.some((selects) => selects(labelsOf(each))));
  return chosen.flatMap((each) => clusterRules(each, all, seen));
}

function ruleAllows(rule: Json, attributes: AccessAttributes): boolean {
  if (!holds(rule, "verbs", attributes.verb)) return false;
  if (attributes.resource === undefined) return pathAllowed(rule, attributes.path ?? "");
  const { group, resource, subresource, name } = attributes.resource;
  const names = asList(field(rule, "resourceNames"));
  return holds(rule, "apiGroups", group) && resourceAllowed(rule, resource, subresource) &&
    (names.length === 0 || names.includes(name));
}

function holds(rule: Json, list: string, wanted: string): boolean {
  return asList(field(rule, list)).some((each) => each === "*" || each === wanted);
}

/**
 * Whether a rule covers a resource: `*` is every resource and subresource, `pods/log` one subresource, `∗/scale` that
 * subresource of every resource.
 */
function resourceAllowed(rule: Json, resource: string, subresource: string): boolean {
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  return asList(field(rule, "resources")).some((each) =>
    each === "*" || each === full || subresource !== "" && each === `*/${subresource}`
  );
}

function pathAllowed(rule: Json, path: string): boolean {
  return asList(field(rule, "nonResourceURLs")).some((each) => {
    if (typeof each !== "string") return false;
    return each === "*" || each === path || each.endsWith("*") && path.startsWith(each.slice(0, -1));
  });
}

function describe(binding: JsonObject, namespace: string): string {
  return namespace === ""
    ? `ClusterRoleBinding "${nameOf(binding)}"`
    : `RoleBinding "${nameOf(binding)}/${namespace}"`;
}

function describeSubject(subject: Json, namespace: string): string {
  const kind = textOf(subject, "kind"), name = textOf(subject, "name");
  if (kind !== "ServiceAccount") return `${kind} "${name}"`;
  return `${kind} "${name}/${textOf(subject, "namespace") || namespace}"`;
}

function textOf(value: Json, ...path: string[]): string {
  return asString(dig(value, ...path)) ?? "";
}
