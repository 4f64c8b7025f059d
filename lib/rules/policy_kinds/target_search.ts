import type { LoadTracker, Need } from "../../context/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  type Fault,
  field,
  isFault,
  isObject,
  type JsonObject,
} from "../../json/mod.ts";
import {
  type BuiltinKind,
  builtinKinds,
  builtinResource,
  formatApiVersion,
  labelsOf,
  namespaceOf,
  objectIdentity,
  typeOf,
} from "../../kube/mod.ts";
import {
  combinationsOf,
  compileConstraints,
  mostCombinations,
  resourcesOfRule,
  type RuleSelector,
  writtenNames,
} from "../../match/mod.ts";
import { type ClusterObjects, objectsInCluster } from "../cluster_objects.ts";
import type { WrittenSubresource } from "../outcome.ts";
import type { ObjectType, RuleInput } from "../rule_kind.ts";
import { isApiName, readServedResources, resourceParts } from "../served_resources.ts";

/** An object to change, or a subresource through which it is changed. */
export interface ExistingTarget {
  readonly object: JsonObject;
  readonly subresource: WrittenSubresource | undefined;
}

/** A resource that a resource rule names, with the selector of that rule. */
interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly builtin: BuiltinKind | undefined;
  readonly selector: RuleSelector;
}

/** The constraints of a policy's targets, and where its document has them. */
export interface TargetConstraints {
  readonly constraints: JsonObject;
  readonly path: readonly string[];
  /** The namespace of a namespaced policy, in which all its targets are. */
  readonly namespace: string | undefined;
}

/**
 * Finds existing objects by resource rules. A rule about a subresource finds the objects: expressions read and change
 * the object, and the subresource is written. Kyverno parity: rules that have wildcards find nothing, and an empty
 * group means any. Pinned by tests/background/mutating_targets_test.ts.
 */
export class TargetSearch {
  readonly #resources: readonly NamedResource[];
  readonly #namespace: string;
  readonly problems: readonly PathDiagnostic[];

  constructor({ constraints, path, namespace }: TargetConstraints) {
    const problems: PathDiagnostic[] = [], resources: NamedResource[] = [];
    const rules = asList(constraints["resourceRules"]).filter(isObject);
    for (const [index, rule] of rules.entries()) {
      const at = { path: [...path, "resourceRules", index] };
      const names = writtenNames(rule);
      if (resources.length + combinationsOf(names) > mostCombinations) {
        const message = `More than ${mostCombinations} groups, versions and resources of targets`;
        problems.push({ severity: "error", code: "unfound-targets", message, ...at });
        break;
      }
      const selector = compileConstraints({ ...constraints, resourceRules: [{ ...rule, ...anyResource }] });
      for (const { group, version, resource } of resourcesOfRule(names)) {
        const named = { group, version, ...resourceParts(resource) };
        if (isNamed(named)) resources.push({ ...named, builtin: builtinOf(named), selector });
        else problems.push({ ...unnamed(named), ...at });
      }
    }
    this.#resources = resources;
    this.#namespace = namespace ?? "";
    this.problems = problems;
  }

  /** Whether the constraints select targets by the labels of their namespaces. */
  get selectsNamespaces(): boolean {
    return this.#resources.some(({ selector }) => selector.needsNamespaceLabels);
  }

  /** The rights to find and change the targets. */
  get needs(): readonly Need[] {
    return this.#resources.flatMap(({ builtin, ...named }) =>
      targetNeeds({ ...named, group: builtin?.group ?? named.group })
    );
  }

  find({ context: { tracker } }: RuleInput): readonly ExistingTarget[] | Fault {
    const clusterObjects = objectsInCluster(tracker);
    const found = new Map<string, ExistingTarget>();
    let fault: Fault | undefined;
    // All lists are loaded at the same time.
    for (const resource of this.#resources) {
      const type = resourceType(resource, tracker);
      if (type === undefined) continue;
      const objects = isFault(type) ? type : clusterObjects.list({ ...type, namespace: this.#namespace });
      if (isFault(objects)) fault ??= objects;
      else {
        const unread = addSelected(
          found,
          { resource, type: type as ObjectType, objects },
          clusterObjects,
        );
        fault ??= unread;
      }
    }
    return fault ?? [...found.values()];
  }
}

/** The rights to find and change the objects of a resource, or one subresource of them. */
export function targetNeeds(
  { group, plural, subresource }: Omit<Named, "version">,
): readonly Need[] {
  const whole = { kind: "resource", group, resource: plural } as const;
  if (subresource === "") return [{ ...whole, verbs: ["get", "list", "patch", "update"] }];
  const part = { ...whole, resource: `${plural}/${subresource}`, verbs: ["get", "patch", "update"] };
  return [{ ...whole, verbs: ["get", "list"] }, part];
}

const anyResource = { apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"] };

type Named = Pick<NamedResource, "group" | "version" | "plural" | "subresource">;

function isNamed({ group, version, plural, subresource }: Named): boolean {
  return (group === "" || isApiName(group)) && isApiName(version) && isApiName(plural) &&
    (subresource === "" || isApiName(subresource));
}

function unnamed({ group, version, plural, subresource }: Named): Omit<PathDiagnostic, "path"> {
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  const written = [group, version, resource].filter((part) => part !== "").join("/");
  return {
    severity: "warning",
    code: "unfound-targets",
    message: `${written} finds no targets, as in Kyverno`,
    hint: "name group, version, resource and subresource without wildcards",
  };
}

function builtinOf({ group, version, plural }: Named): BuiltinKind | undefined {
  return builtinResource(plural, formatApiVersion({ group, version })) ??
    (group === ""
      ? builtinKinds.find((each) => each.version === version && each.plural === plural)
      : undefined);
}

/** The `apiVersion` and `kind` of a resource's objects; `undefined` when the cluster does not serve the resource. */
function resourceType(
  { group, version, plural, builtin }: NamedResource,
  tracker: LoadTracker,
): ObjectType | undefined | Fault {
  if (builtin !== undefined) return { apiVersion: formatApiVersion(builtin), kind: builtin.kind };
  const apiVersion = formatApiVersion({ group, version });
  const answer = tracker.load(`resource ${apiVersion} ${plural}`, async () => {
    const served = await readServedResources(tracker.ports.cluster, apiVersion, tracker.call);
    return isFault(served) ? served : served.find((each) => each.plural === plural)?.kind ?? "";
  });
  if (isFault(answer)) return answer;
  const kind = asString(answer) ?? "";
  return kind === "" ? undefined : { apiVersion, kind };
}

/** The listed objects of a resource. */
interface Listed {
  readonly resource: NamedResource;
  readonly type: ObjectType;
  readonly objects: readonly JsonObject[];
}

/** Adds those objects that the constraints select. An object that two rules find is one target. */
function addSelected(
  found: Map<string, ExistingTarget>,
  { resource: { plural, subresource, selector }, type, objects }: Listed,
  clusterObjects: ClusterObjects,
): Fault | undefined {
  let fault: Fault | undefined;
  for (const object of objects) {
    // All Namespaces are loaded at the same time.
    const namespaceLabels = namespaceLabelsOf(object, selector, clusterObjects);
    if (isFault(namespaceLabels)) {
      fault ??= namespaceLabels;
      continue;
    }
    const candidate = { ...typeOf(object), plural, subresource, operation: "UPDATE", user: undefined };
    if (!selector.select({ ...candidate, resource: object, namespaceLabels }).selected) continue;
    const key = `${asString(object["apiVersion"])} ${subresource} ${objectIdentity(object)}`;
    found.set(key, {
      object,
      subresource: subresource === "" ? undefined : { ...type, name: subresource },
    });
  }
  return fault;
}

/** The labels of an object's namespace, or of a Namespace itself; none where no constraint selects by them. */
function namespaceLabelsOf(
  object: JsonObject,
  { needsNamespaceLabels }: RuleSelector,
  clusterObjects: ClusterObjects,
): JsonObject | Fault {
  if (!needsNamespaceLabels) return {};
  if (object["kind"] === "Namespace") return labelsOf(object);
  const name = namespaceOf(object);
  if (name === "") return {};
  const found = clusterObjects.get({ apiVersion: "v1", kind: "Namespace", namespace: "", name });
  if (isFault(found)) return found;
  return "object" in found ? labelsOf(found.object) : {};
}

/** The resource rules of targets, or else those of triggers, which are targets then. */
export function targetConstraints(
  spec: JsonObject,
  namespace: string | undefined,
): TargetConstraints {
  const written = asObject(field(spec, "targetMatchConstraints")) ?? {};
  const name = asList(written["resourceRules"]).length > 0 ? "targetMatchConstraints" : "matchConstraints";
  return { constraints: asObject(spec[name]) ?? {}, path: ["spec", name], namespace };
}
