import { compareBytes, isInherited, isString, type Json, type StepBudget } from "../json/mod.ts";
import { compileWildcard, hasWildcard, stepsOfPair } from "../kube/mod.ts";
import type { Anchor } from "./anchor.ts";
import type { Node, PatternEntry } from "./node.ts";

/** A key of a pattern's map with its value. */
export interface UncompiledEntry {
  /** The key as the pattern has it. */
  readonly text: string;
  readonly anchor: Anchor | undefined;
  readonly pattern: Json;
  readonly node: Node;
  /** Whether `*` and `?` in the key choose keys of the resource: they do only among labels and annotations. */
  readonly wildcards: boolean;
}

/** Compiles a key with its value. */
export function compileEntry({ text, anchor, pattern, node, wildcards }: UncompiledEntry): PatternEntry {
  const isAnchor = anchor !== undefined && anchor.kind !== "addition";
  const key = isAnchor ? anchor.key : text;
  return {
    key,
    kind: anchor?.kind ?? "plain",
    node,
    choose: wildcards && hasWildcard(text) ? keysMatching(key) : undefined,
    inherited: isInherited(key),
    text,
    pattern,
    phase: isAnchor && anchor.kind !== "global" ? "deciding" : "rest",
    nested: node.anchored,
    anchored: isAnchor || node.anchored,
  };
}

/**
 * Kyverno compares only one of the matching keys, and picks it at random. Postern takes the strictest of Kyverno's
 * possible answers: a condition holds if any matching key satisfies it, everything else must hold for each key ("each
 * of several labels must match").
 */
function keysMatching(pattern: string): PatternEntry["choose"] {
  const matches = compileWildcard(pattern);
  return (resource, steps) => {
    if (steps.left < 0) return none;
    const names = Object.keys(resource);
    spend(names, steps);
    if (steps.left < 0) return none;
    const chosen = names.filter((name) => isString(resource[name]) && matches(name));
    spend(chosen, steps);
    return steps.left < 0 ? none : chosen.sort(compareBytes);
  };
}

const none: readonly string[] = [];

/** Takes the steps of comparing or sorting names. */
function spend(names: readonly string[], steps: StepBudget): void {
  for (const name of names) steps.left -= stepsOfPair(name, "");
}
