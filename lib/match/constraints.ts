import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import {
  admissionOperations,
  builtinResource,
  compileLabelSelector,
  labelsOf,
  type LabelTest,
  nameOf,
  namespaceOf,
  pluralOf,
} from "../kube/mod.ts";
import type { Block } from "./block.ts";
import type { Candidate } from "./candidate.ts";
import { clausesOf } from "./clause.ts";
import type { Filter, Mismatch } from "./filter.ts";
import { combinationsOf, mostCombinations, type ResourceRule, writtenNames } from "./resource_rule.ts";
import type { RuleSelector, Selection } from "./rule_selector.ts";

const selected: Selection = { selected: true };
const excluded: Selection = { selected: false, by: "exclude", criterion: "exclude" };

/**
 * Compiles the MatchResources of admission policies: `resourceRules`, `excludeResourceRules`, `namespaceSelector` and
 * `objectSelector`. Without constraints nothing is selected; without resource rules every resource is selected.
 * Resources are compared as the request names them: `matchPolicy: Equivalent` adds no other versions here.
 */
export function compileConstraints(constraints: JsonObject | undefined): RuleSelector {
  const rules = resourceRules(constraints, "resourceRules");
  const block = blockOf(rules.length > 0 ? rules : constraints === undefined ? [] : [everyResource]);
  const exclude = blockOf(resourceRules(constraints, "excludeResourceRules"));
  const namespaces = selectorOf(field(constraints, "namespaceSelector"));
  const objects = selectorOf(field(constraints, "objectSelector"));
  return {
    match: block,
    resources: constraints === undefined ? [] : writtenResources(constraints),
    needsNamespaceLabels: namespaces !== undefined,
    needsRoles: false,
    decidedByType: false,
    select,
    explain: (candidate) => ({
      selection: select(candidate),
      match: clausesOf("matchConstraints", block, candidate),
      exclude: clausesOf("excludeResourceRules", exclude, candidate),
      generatedFor: undefined,
    }),
  };

  function select(candidate: Candidate): Selection {
    if (namespaces !== undefined && !inNamespace(namespaces, candidate)) {
      return unselected("namespaceSelector");
    }
    if (objects !== undefined && !isSelected(objects, candidate)) return unselected("selector");
    if (exclude.mismatch(candidate) === undefined) return excluded;
    const criterion = block.mismatch(candidate);
    return criterion === undefined ? selected : unselected(criterion);
  }
}

/** The resources of the rules; policies that name too many are about all resources. */
function writtenResources(constraints: JsonObject): ResourceRule[] {
  const rules = asList(constraints["resourceRules"]).filter(isObject);
  const combinations = rules.reduce((sum, rule) => sum + combinationsOf(writtenNames(rule)), 0);
  const read = combinations > mostCombinations ? [aboutAll(rules)] : rules;
  return (read.length > 0 ? read : [anyResourceRule]).map((rule) => {
    const operations = asTexts(rule["operations"]), scope = rule["scope"];
    return {
      ...writtenNames(rule),
      operations: operations.includes("*") ? admissionOperations : operations,
      scope: scope === "Namespaced" || scope === "Cluster" ? scope : "*",
    };
  });
}

const allResources: JsonObject = { apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
const anyResourceRule: JsonObject = { ...allResources, operations: ["*"] };

function aboutAll(rules: readonly JsonObject[]): JsonObject {
  return { ...allResources, operations: [...new Set(rules.flatMap((rule) => asTexts(rule["operations"])))] };
}

function unselected(criterion: string): Selection {
  return { selected: false, by: "match", criterion };
}

/** Compiles a selector. An empty selector is no restriction; an unreadable one selects nothing. */
function selectorOf(selector: Json | undefined): LabelTest | undefined {
  if (!isObject(selector)) return undefined;
  const empty = asList(selector["matchExpressions"]).length === 0 &&
    Object.keys(asObject(selector["matchLabels"]) ?? {}).length === 0;
  if (empty) return undefined;
  const test = compileLabelSelector(selector);
  return isFault(test) ? () => false : test;
}

/**
 * A namespace selector never leaves out an object without a namespace. For a Namespace it reads the Namespace's
 * labels.
 */
function inNamespace(test: LabelTest, { kind, group, resource, namespaceLabels }: Candidate): boolean {
  if (kind === "Namespace" && group === "") return test(labelsOf(resource));
  const namespace = namespaceOf(resource);
  if (namespace === "") return true;
  return test({ "kubernetes.io/metadata.name": namespace, ...namespaceLabels });
}

/** Whether the new or the old object has the labels. */
function isSelected(test: LabelTest, { resource, oldResource }: Candidate): boolean {
  return test(labelsOf(resource)) || (oldResource !== undefined && test(labelsOf(oldResource)));
}

function resourceRules(constraints: JsonObject | undefined, name: string): Filter[] {
  return asList(field(constraints, name)).filter(isObject).map(compileResourceRule);
}

function blockOf(filters: readonly Filter[]): Block {
  const mismatch = (candidate: Candidate): Mismatch => {
    let first: Mismatch = "no rule";
    for (const filter of filters) {
      const found = filter.mismatch(candidate);
      if (found === undefined) return undefined;
      first = found;
    }
    return first;
  };
  return { form: "any", filters, empty: filters.length === 0, mismatch };
}

const everyResource: Filter = {
  mismatch: () => undefined,
  empty: false,
  kinds: [],
  operations: [],
  needsNamespaceLabels: false,
  needsRoles: false,
  decidedByType: false,
  written: {},
};

function compileResourceRule(rule: JsonObject): Filter {
  const { groups, versions, resources } = writtenNames(rule), operations = asTexts(rule["operations"]);
  const names = asTexts(rule["resourceNames"]);
  const scope = asString(rule["scope"]) ?? "*";
  const isNamed = resources.map(resourceTest);
  const anyOperation = operations.includes("*");
  return {
    mismatch: (candidate) => {
      if (!anyOperation && !operations.includes(candidate.operation)) return "operations";
      if (!has(groups, candidate.group) || !has(versions, candidate.version)) return "kinds";
      if (!isNamed.some((matches) => matches(candidate))) return "kinds";
      if (!inScope(scope, candidate)) return "kinds";
      return names.length === 0 || hasName(names, candidate) ? undefined : "names";
    },
    empty: false,
    kinds: resources.map(kindOf),
    operations: anyOperation ? [] : operations,
    needsNamespaceLabels: false,
    needsRoles: false,
    decidedByType: false,
    written: { resources: { kinds: resources, operations, names } },
  };
}

function has(values: readonly string[], value: string): boolean {
  return values.includes("*") || values.includes(value);
}

function resourceTest(text: string): (candidate: Candidate) => boolean {
  const [resource = "", subresource = ""] = text.split("/");
  return (candidate) =>
    (resource === "*" || resource === (candidate.plural ?? pluralOf(candidate.kind))) &&
    (subresource === "*" || subresource === candidate.subresource);
}

function inScope(scope: string, { resource }: Candidate): boolean {
  if (scope === "*") return true;
  const namespaced = namespaceOf(resource) !== "";
  return (scope === "Namespaced") === namespaced;
}

/** Whether the object has one of the names. An object without a name matches by its generateName. */
function hasName(names: readonly string[], { resource }: Candidate): boolean {
  const name = nameOf(resource);
  if (name !== "") return names.includes(name);
  const generated = asString(dig(resource, "metadata", "generateName")) ?? "";
  return names.some((prefix) => generated.startsWith(prefix));
}

/** The kind of a built-in resource for the index; any kind where the resource is unknown. */
function kindOf(text: string): string {
  const [resource = "", subresource] = text.split("/");
  const kind = builtinResource(resource)?.kind ?? "*";
  return subresource === undefined ? kind : `${kind}/*`;
}
