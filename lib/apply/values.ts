import {
  asList,
  asObject,
  asString,
  dig,
  Fault,
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

const operationName = "request.operation";
const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

const namespaceType: JsonObject = { apiVersion: "v1", kind: "Namespace" };

/** The fault of a Values document that names an operation which no request has. */
export function operationFault(document: Json): Fault | undefined {
  const operation = asString(asObject(field(document, "globalValues"))?.[operationName]);
  if (operation === undefined || operation === "" || operations.includes(operation)) return undefined;
  return new Fault(
    `globalValues: ${operationName} is ${JSON.stringify(operation)}; write one of ${operations.join(", ")}`,
  );
}

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
      policies.filter((entry) => entry["name"] === policy).flatMap((entry) => asList(entry["resources"]))
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
 * Kyverno parity: a rule's values hold for its autogen rules too, and the first of foreach values counts. Pinned by
 * "a rule's values apply to its autogen rules, and the first foreach value counts".
 */
function forRule(policies: readonly JsonObject[], policy: string, rule: string): [string, Json][] {
  const written = writtenRuleName(rule);
  const rules = policies.filter((entry) => entry["name"] === policy).flatMap((entry) =>
    asList(entry["rules"])
  )
    .filter((entry) => field(entry, "name") === rule || field(entry, "name") === written);
  return rules.flatMap((entry) => [
    ...entries(field(entry, "values")),
    ...entries(field(entry, "foreachValues")).map((
      [name, list],
    ): [string, Json] => [name, asList(list)[0] ?? null]),
  ]);
}

function ofResource(policies: readonly JsonObject[], policy: string, name: string): [string, Json][] {
  return policies.filter((entry) => entry["name"] === policy)
    .flatMap((entry) => asList(entry["resources"]).filter((item) => field(item, "name") === name))
    .flatMap((item) => entries(field(item, "values")));
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

/** The object with a value at a path. A value on the way that is not an object is replaced. */
export function withValue(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) return object;
  const copy: { [key: string]: Json } = { ...object };
  const inner = Object.hasOwn(object, first) ? object[first]! : undefined;
  setField(copy, first, rest.length === 0 ? value : withValue(asObject(inner) ?? {}, rest, value));
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

/**
 * The values with those of `--set name=value` added, for every policy and object. Kyverno parity: a value is a text.
 * Pinned by "a value of --set is text".
 */
export function withSetValues(values: Values, settings: readonly string[]): Values | Fault {
  if (settings.length === 0) return values;
  const set = new Map<string, Json>();
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at <= 0) return new Fault(`--set ${setting}: write it as name=value`);
    set.set(setting.slice(0, at).trim(), setting.slice(at + 1).trim());
  }
  return {
    ...values,
    givesOperation: (policy) => set.has(operationName) || values.givesOperation(policy),
    forResource: (policy, resource) => new Map([...values.forResource(policy, resource), ...set]),
  };
}
