import type { CompiledPolicy } from "./compiled.ts";

/** Kinds come from requests: policies about any kind remember no more of them than this. */
const maxRemembered = 64;

const remembered = new WeakMap<CompiledPolicy, Map<string, CompiledPolicy>>();

/**
 * A policy without the rules that were generated for other kinds, which are two of three where Pods are concerned. It is
 * worked out once for each kind.
 */
export function rulesForKind(policy: CompiledPolicy, kind: string): CompiledPolicy {
  let kinds = remembered.get(policy);
  if (kinds === undefined) remembered.set(policy, kinds = new Map());
  const known = kinds.get(kind);
  if (known !== undefined) return known;
  const rules = policy.rules.filter(({ rule: { generatedFor } }) => generatedFor?.has(kind) ?? true);
  const reduced = rules.length === policy.rules.length ? policy : { ...policy, rules };
  if (kinds.size >= maxRemembered) kinds.clear();
  kinds.set(kind, reduced);
  return reduced;
}
