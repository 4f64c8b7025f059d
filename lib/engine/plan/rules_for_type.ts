import type { ResourceType } from "../../kube/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";

/** A type of resources and what is done to one: all that most rules look at to choose their objects. */
export interface TypeOfRequest extends ResourceType {
  readonly operation: string;
}

/** Types come from requests: policies about any kind remember no more of them than this, and none with a longer key. */
const maxRemembered = 256, maxKeyLength = 512;

const remembered = new WeakMap<CompiledPolicy, Map<string, CompiledPolicy>>();

/**
 * A policy as it concerns one type: without the rules that were generated for other kinds, which are two of three where
 * Pods are concerned, and with those marked that select every object of the type, or are nothing but a body. It is
 * worked out once for each type.
 */
export function rulesForType(policy: CompiledPolicy, type: TypeOfRequest): CompiledPolicy {
  let types = remembered.get(policy);
  if (types === undefined) remembered.set(policy, types = new Map());
  const key = [type.group, type.version, type.kind, type.subresource, type.operation].join("\n");
  const known = types.get(key);
  if (known !== undefined) return known;
  const rules = policy.rules.filter(({ rule }) => rule.generatedFor?.has(type.kind) ?? true);
  const marked = { ...policy, rules: rules.map((rule) => markedRule(rule, type)) };
  if (key.length > maxKeyLength) return marked;
  if (types.size >= maxRemembered) types.clear();
  types.set(key, marked);
  return marked;
}

function markedRule(rule: CompiledRule, type: TypeOfRequest): CompiledRule {
  const { entries, preconditions, exceptions, properties } = rule;
  const bodyAlone = entries.length === 0 && preconditions === undefined && exceptions.length === 0 &&
    properties === undefined;
  return { ...rule, selectsAll: selectsAll(rule, type), bodyAlone };
}

function selectsAll({ selector }: CompiledRule, type: TypeOfRequest): boolean {
  const { group, version, kind, subresource, operation } = type;
  const any = {
    group,
    version,
    kind,
    subresource,
    operation,
    resource: {},
    namespaceLabels: {},
    user: undefined,
  };
  return selector.decidedByType && selector.select(any).selected;
}
