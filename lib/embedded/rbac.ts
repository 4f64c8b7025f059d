import { asList, asString, dig, field, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { compileLabelSelector, labelsOf, nameOf, namespaceOf, parseServiceAccount } from "../kube/mod.ts";

/** Whether somebody may do something: the attributes of a SubjectAccessReview. */
export interface AccessAttributes {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  /** The parts of a resource; empty texts where the rule has none. */
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

/** The answer, and by what it was reached: empty when nothing speaks for it. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The RBAC objects that answers are drawn from. */
export interface RbacObjects {
  readonly roles: readonly JsonObject[];
  readonly roleBindings: readonly JsonObject[];
  readonly clusterRoles: readonly JsonObject[];
  readonly clusterRoleBindings: readonly JsonObject[];
}

/**
 * Decides as the API server's RBAC authorizer: cluster role bindings first, then the role bindings of the namespace;
 * members of `system:masters` may do everything. Aggregated cluster roles have the rules of those that they select.
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

/** The bindings to look at, each with the namespace it is for; empty for the whole cluster. */
function* applicable(attributes: AccessAttributes, objects: RbacObjects): Generator<[JsonObject, string]> {
  for (const binding of objects.clusterRoleBindings) yield [binding, ""];
  const namespace = attributes.resource?.namespace ?? "";
  if (namespace === "") return;
  for (const binding of objects.roleBindings) {
    if (namespaceOf(binding) === namespace) yield [binding, namespace];
  }
}

/** Whether a binding's subject is this user; service accounts without a namespace are those of the binding's. */
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

/** The rules of a cluster role; of an aggregated one those of all that its selectors choose, however deep. */
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

/** `*` is every resource with its parts, `pods/log` one part, `∗/scale` that part of every resource. */
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
