import { BoundedCache } from "../../json/mod.ts";
import type { ResourceType } from "../../kube/mod.ts";
import { isAutogenName } from "../../policy/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";

/** A resource type and an operation, which alone decide whether most rules match. */
export interface TypeOfRequest extends ResourceType {
  readonly operation: string;
}

/** The most types for which a policy is prepared, and the longest key: types come from requests. */
const maxTypes = 256, maxKeyLength = 512;

/** The bytes of a prepared policy, and of each of its rules. */
const bytesOfPolicy = 200, bytesOfRule = 250;

/**
 * Policies, each prepared for one type of resource. A prepared policy lacks the autogen rules for other kinds, which
 * are two thirds of the rules about Pods, and marks the rules that select every object of the type or consist of a body
 * alone. Each is made once. tests/bench/plan_bench.ts: without the marks the merges take 35 % more, the patterns 8 %.
 */
export class RulesForTypes {
  readonly #prepared = new WeakMap<CompiledPolicy, BoundedCache<CompiledPolicy>>();
  readonly #former: WeakMap<CompiledPolicy, BoundedCache<CompiledPolicy>> | undefined;
  #bytes = 0;

  /** Takes over the policies that `former` prepared, as soon as they are used again. */
  constructor(former?: RulesForTypes) {
    this.#former = former === undefined ? undefined : former.#prepared;
  }

  /** The estimated bytes of all prepared policies, without those of `former` that were not taken over. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A policy as it is evaluated for requests of a type. */
  of(policy: CompiledPolicy, type: TypeOfRequest): CompiledPolicy {
    let types = this.#prepared.get(policy);
    if (types === undefined) this.#prepared.set(policy, types = new BoundedCache(maxTypes));
    const key = [type.group, type.version, type.kind, type.subresource, type.operation].join("\n");
    return key.length > maxKeyLength ? marked(policy, type) : types.getOrMake(
      key,
      () => this.#counted(this.#former?.get(policy)?.get(key) ?? marked(policy, type)),
    );
  }

  #counted(policy: CompiledPolicy): CompiledPolicy {
    this.#bytes += bytesOfPolicy + bytesOfRule * policy.rules.length;
    return policy;
  }
}

function marked(policy: CompiledPolicy, type: TypeOfRequest): CompiledPolicy {
  const rules = policy.rules.filter((rule) =>
    !isOutside(policy, rule, type) && isForKind(rule, type.kind, policy.rules)
  );
  return { ...policy, rules: rules.map((rule) => markedRule(rule, type)) };
}

/**
 * Whether a rule of a policy of a namespace is not about the Namespace, to which the API server gives requests about
 * it. Kyverno parity: only policies in CEL follow the request. Pinned by "a Policy says nothing about its Namespace, a
 * policy in CEL does". No policy changes it: the labels of a Namespace decide which other policies are about its
 * objects, and who may write policies in it need not have the right to change them.
 */
function isOutside({ policy }: CompiledPolicy, rule: CompiledRule, { group, kind }: TypeOfRequest): boolean {
  return policy.namespace !== undefined && group === "" && kind === "Namespace" &&
    (policy.language === "classic" || rule.type === "mutate");
}

/**
 * Whether a rule of a policy is evaluated for objects of a kind. Kyverno parity: autogen rules replace the written
 * rules that have names of autogen rules, for mutations of every kind, else for the kinds that they are derived for.
 * Pinned by "autogen rules replace written rules with their names".
 */
function isForKind({ rule }: CompiledRule, kind: string, rules: readonly CompiledRule[]): boolean {
  if (rule.generatedFor !== undefined) return rule.generatedFor.has(kind);
  if (!isAutogenName(rule.name)) return true;
  const isMutation = rule.section === "mutate";
  return !rules.some(({ rule: { generatedFor } }) =>
    generatedFor !== undefined && (isMutation || generatedFor.has(kind))
  );
}

function markedRule(rule: CompiledRule, type: TypeOfRequest): CompiledRule {
  const { entries, preconditions, exceptions, properties } = rule;
  const bodyAlone = entries.length === 0 && preconditions === undefined && exceptions.all.length === 0 &&
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
