import { choosing, type PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  type DocumentPath,
  equal,
  field,
  isGiven,
  isObject,
  type Json,
  textField,
} from "../../json/mod.ts";
import { builtinKinds, formatApiVersion } from "../../kube/mod.ts";
import { type ClassicPolicy, type MatchFilter, type Rule, writtenFilters } from "../../policy/mod.ts";
import type { RuleSource } from "../autogen.ts";
import { refusal } from "./refusal.ts";

/** The parts of a rule's match and exclude blocks, as its author wrote them, that are refused. */
export function matchRefusals({ rule, path }: RuleSource, policy: ClassicPolicy): PathDiagnostic[] {
  const filters = [...writtenFilters(rule, "match"), ...writtenFilters(rule, "exclude")];
  return [
    ...filters.flatMap(({ filter, path: below }) => filterRefusals(filter, [...path, ...below], policy)),
    ...excludedFilters(rule, path),
  ];
}

function filterRefusals(filter: Json, path: DocumentPath, policy: ClassicPolicy): PathDiagnostic[] {
  const resources = field(filter, "resources");
  return [
    ...resourceRefusals(resources, [...path, "resources"]),
    ...(policy.kind === "Policy" ? namespaceRefusals(resources, [...path, "resources"]) : []),
    ...asList(field(filter, "subjects")).flatMap((user, index) =>
      userRefusals(user, [...path, "subjects", index])
    ),
    ...asList(field(filter, "roles")).flatMap((role, index) => roleRefusals(role, [...path, "roles", index])),
  ];
}

function resourceRefusals(resources: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const found: PathDiagnostic[] = [];
  if (isGiven(field(resources, "name")) && isGiven(field(resources, "names"))) {
    found.push(refusal(path, "A filter has name or names, not both", "write all of them under names"));
  }
  if (isEmptySelector(field(resources, "selector"))) {
    found.push(refusal([...path, "selector"], "The requirements are not specified in selector"));
  }
  return found;
}

function isEmptySelector(selector: Json | undefined): boolean {
  return isObject(selector ?? null) &&
    Object.keys(asObject(field(selector, "matchLabels")) ?? {}).length === 0 &&
    asList(field(selector, "matchExpressions")).length === 0;
}

/** A Policy is about the objects of its namespace. */
function namespaceRefusals(resources: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return asList(field(resources, "namespaces")).length === 0 ? [] : [refusal(
    [...path, "namespaces"],
    "Filtering namespaces not allowed in namespaced policies",
    "remove them, or make the policy a ClusterPolicy",
  )];
}

/**
 * The cluster-wide kinds in the rules of a Policy. Kyverno parity: a kind is cluster-wide as Kubernetes spells it, with
 * its version or without; those with wildcards are about no object. Pinned by "policy is refused:".
 */
export function clusterWideKinds(rules: readonly RuleSource[], policy: ClassicPolicy): PathDiagnostic[] {
  if (policy.kind !== "Policy") return [];
  return rules.flatMap(({ rule, path }) =>
    [...writtenFilters(rule, "match"), ...writtenFilters(rule, "exclude")].flatMap((written) =>
      asList(field(field(written.filter, "resources"), "kinds")).flatMap((kind, index) =>
        clusterKinds.has(asString(kind) ?? "")
          ? [refusal(
            [...path, ...written.path, "resources", "kinds", index],
            `Cluster wide resource '${asString(kind)}' not allowed in namespaced policy`,
            "make the policy a ClusterPolicy",
          )]
          : []
      )
    )
  );
}

const clusterKinds: ReadonlySet<string> = new Set(
  builtinKinds.filter(({ namespaced }) => !namespaced).flatMap((each) => [
    each.kind,
    `${formatApiVersion(each)}/${each.kind}`,
  ]),
);

const userKinds = ["User", "Group", "ServiceAccount"];

function userRefusals(user: Json, path: DocumentPath): PathDiagnostic[] {
  const kind = textField(user, "kind"), found: PathDiagnostic[] = [];
  if (!userKinds.includes(kind)) {
    const message = `kind must be 'User', 'Group', or 'ServiceAccount', not "${kind}"`;
    found.push(refusal([...path, "kind"], message, choosing(kind, userKinds).hint));
  }
  if (textField(user, "name") === "") {
    found.push(refusal([...path, "name"], "name is required", 'name the user, or "*" for all of the kind'));
  }
  if (kind === "ServiceAccount" && textField(user, "namespace") === "") {
    found.push(refusal(path, "namespace is required when Kind is ServiceAccount"));
  }
  return found;
}

function roleRefusals(role: Json, path: DocumentPath): PathDiagnostic[] {
  const text = asString(role) ?? "";
  return text.split(":").length === 2 ? [] : [refusal(
    path,
    `Role is expected to be in namespace:name format, not "${text}"`,
    `write "NAMESPACE:${text.split(":").at(-1)}"; cluster roles are under clusterRoles`,
  )];
}

/**
 * Filters that the exclude block has, too. Kyverno parity: one of several is refused, and of blocks in the form `any`
 * alone. Pinned by "policy is refused:".
 */
function excludedFilters(rule: Json, path: DocumentPath): PathDiagnostic[] {
  const excluded = asList(field(field(rule, "exclude"), "any"));
  const all = [field(rule, "match"), field(rule, "exclude")].some((block) =>
    asList(field(block, "all")).length > 0
  );
  if (all) return [];
  return asList(field(field(rule, "match"), "any")).flatMap((filter, index) =>
    excluded.some((each) => equal(each, filter))
      ? [refusal(
        [...path, "match", "any", index],
        "Rule is matching an empty set: exclude has the same filter",
        "remove one of the two",
      )]
      : []
  );
}

/** The filters of a rule's match block that name no kinds. */
export function filtersWithoutKinds({ match, path }: Rule): PathDiagnostic[] {
  // The rule has another problem: it matches nothing.
  if (match.filters.every(isEmpty)) return [];
  return match.filters.flatMap((filter, index) =>
    filter.resources.kinds.length > 0 ? [] : [refusal(
      [...path, "match", ...(match.form === "direct" ? [] : [match.form, index])],
      "at least one element must be specified in a kind block",
      'name the kinds under resources; "*" means every kind',
    )]
  );
}

function isEmpty({ written }: MatchFilter): boolean {
  return Object.values(written).every((part) => !isGiven(part) || equal(part, {}) || equal(part, []));
}
