import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import { writtenRuleName } from "../policy/mod.ts";

/** A Values file of cli.kyverno.io: the values that replace a cluster's answers. */
export interface Values {
  /** The dotted names and their values for a policy and an object, such as `request.operation`. */
  forResource(policy: string, resource: string): ReadonlyMap<string, Json>;
  /** The operation of the global values. Requests to policies in CEL have this one, or are a CREATE. */
  readonly operation: string | undefined;
  /** Whether a value that is not a global one gives requests for the policy an operation. */
  givesOperation(policy: string): boolean;
  /** The names and values of a rule's context. */
  forRule(policy: string, rule: string): JsonObject;
  /** The labels of the namespaces in the file. */
  readonly namespaceLabels: ReadonlyMap<string, JsonObject>;
  /** The Namespaces in the file by their names: whole ones, or made of a name and labels. */
  readonly namespaces: ReadonlyMap<string, JsonObject>;
  readonly subresources: readonly Subresource[];
}

/** An object that represents a subresource of another: `Scale` for `deployments/scale`. */
export interface Subresource {
  readonly name: string;
  readonly kind: JsonObject;
  readonly parent: JsonObject;
}

/** Empty values. */
export const noValues: Values = {
  forResource: () => new Map(),
  operation: undefined,
  givesOperation: () => false,
  forRule: () => ({}),
  namespaceLabels: new Map(),
  namespaces: new Map(),
  subresources: [],
};

/** The name of the operation among the values. */
export const operationName = "request.operation";

const namespaceType: JsonObject = { apiVersion: "v1", kind: "Namespace" };

/** Parses a Values document. */
export function readValues(document: Json): Values {
  const globals = entries(field(document, "globalValues"));
  const policies = asList(field(document, "policies")).filter(isObject);
  const labels = new Map<string, JsonObject>();
  const namespaces = new Map<string, JsonObject>();
  for (const selector of asList(field(document, "namespaceSelector"))) {
    const name = asString(field(selector, "name"));
    if (name === undefined) continue;
    const selected = asObject(field(selector, "labels"));
    labels.set(name, selected ?? {});
    namespaces.set(name, { ...namespaceType, metadata: { name, ...(selected && { labels: selected }) } });
  }
  for (const namespace of asList(field(document, "namespaces"))) {
    const name = asString(dig(namespace, "metadata", "name"));
    if (name === undefined || !isObject(namespace)) continue;
    labels.set(name, asObject(dig(namespace, "metadata", "labels")) ?? {});
    namespaces.set(name, { ...namespaceType, ...namespace });
  }
  return {
    forResource: (policy, resource) => new Map([...globals, ...ofResource(policies, policy, resource)]),
    operation: asString(new Map(globals).get(operationName)),
    givesOperation: (policy) =>
      entriesOf(policies, policy).flatMap((entry) => asList(entry["resources"]))
        .some((item) => asObject(field(item, "values"))?.[operationName] !== undefined),
    forRule: (policy, rule) => nest(forRule(policies, policy, rule)),
    namespaceLabels: labels,
    namespaces,
    subresources: asList(field(document, "subresources")).map((entry) => ({
      name: asString(dig(entry, "subresource", "name")) ?? "",
      kind: asObject(field(entry, "subresource")) ?? {},
      parent: asObject(field(entry, "parentResource")) ?? {},
    })),
  };
}

/**
 * Kyverno parity: the values of a rule are those of its first entry, in the first entry of its policy, and hold for its
 * autogen rules too; the first of foreach values counts. Pinned by "a rule's values apply to its autogen rules, and the
 * first foreach value counts" and "the first entry for a rule counts, the last for an object".
 */
function forRule(policies: readonly JsonObject[], policy: string, rule: string): [string, Json][] {
  const written = writtenRuleName(rule);
  const [first] = entriesOf(policies, policy).filter((entry) => asList(entry["rules"]).length > 0);
  const found = asList(first?.["rules"]).find((entry) =>
    field(entry, "name") === rule || field(entry, "name") === written
  );
  const values = entries(field(found, "values"));
  const ofElements = entries(field(found, "foreachValues"));
  return [...values, ...ofElements.map(([name, list]): [string, Json] => [name, asList(list)[0] ?? null])];
}

function ofResource(policies: readonly JsonObject[], policy: string, name: string): [string, Json][] {
  return entriesOf(policies, policy)
    .flatMap((entry) => asList(entry["resources"]).filter((item) => field(item, "name") === name))
    .flatMap((item) => entries(field(item, "values")));
}

/**
 * The entries for a policy. Kyverno parity: a Policy is named without its namespace. Pinned by "values name a Policy
 * without its namespace, or with it".
 */
function entriesOf(policies: readonly JsonObject[], policy: string): readonly JsonObject[] {
  const name = policy.slice(policy.indexOf("/") + 1);
  return policies.filter((entry) => entry["name"] === policy || entry["name"] === name);
}

function entries(value: Json | undefined): [string, Json][] {
  return Object.entries(asObject(value) ?? {});
}

/** Dotted names as an object: `a.b: 1` becomes `{a: {b: 1}}`. */
export function nest(values: Iterable<readonly [string, Json]>): JsonObject {
  let result: JsonObject = {};
  for (const [name, value] of values) result = withValue(result, splitName(name), value);
  return result;
}

/**
 * The object with a value at a path. A value on the way that is not an object is replaced. Kyverno parity: an object is
 * merged into the one at its path. Pinned by "a value that is an object is merged".
 */
export function withValue(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) {
    return Object.entries(asObject(value) ?? {}).reduce(
      (all, [name, item]) => withValue(all, [name], item),
      object,
    );
  }
  const copy: { [key: string]: Json } = { ...object };
  const inner = asObject(Object.hasOwn(object, first) ? object[first] : undefined);
  const isMerged = rest.length > 0 || inner !== undefined && isObject(value);
  setField(copy, first, isMerged ? withValue(inner ?? {}, rest, value) : value);
  return copy;
}

/** Splits a dotted name; a part in double quotes may hold dots. */
export function splitName(name: string): string[] {
  const parts: string[] = [];
  for (const match of name.matchAll(/"((?:[^"]|"")*)"|([^.]+)/g)) {
    parts.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
  }
  return parts;
}

/** The values with another operation for every object; an empty operation changes nothing. */
export function withOperation(values: Values, operation: string): Values {
  if (operation === "") return values;
  return {
    ...values,
    operation,
    givesOperation: () => false,
    forResource: (policy, resource) =>
      new Map([...values.forResource(policy, resource), [operationName, operation]]),
  };
}
