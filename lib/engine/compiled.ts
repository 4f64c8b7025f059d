import type { ActionOf } from "./action.ts";
import type { Conditions } from "../condition/mod.ts";
import type { ContextEntry, Need } from "../context/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Block, Candidate, RuleSelector } from "../match/mod.ts";
import type { Policy, PolicyException, Rule } from "../policy/mod.ts";
import {
  changesOthers,
  type CompiledBody,
  type PhaseTraits,
  type RuleBody,
  type RuleInput,
  type RuleType,
} from "../rules/mod.ts";
import type { ConstantResults } from "./plan/constant_results.ts";
import type { ReportProperties } from "./report_properties.ts";

/** An exception, compiled for one rule. */
export interface CompiledException {
  readonly exception: PolicyException;
  readonly match: Block;
  /** Keys of which each object that it matches has one, for an index; `undefined` when it has none or too many. */
  readonly keys: readonly string[] | undefined;
  readonly conditions: Conditions | undefined;
}

/** The exceptions of a rule. */
export interface RuleExceptions {
  /** All of them, in the order in which messages list them. */
  readonly all: readonly CompiledException[];
  /** Those that may match an object, in the same order: each that matches, and possibly others. */
  mayMatch(candidate: Candidate): readonly CompiledException[];
}

/** The exceptions of most rules: none. */
export const withoutExceptions: RuleExceptions = { all: [], mayMatch: () => [] };

/** A compiled rule. */
export interface CompiledRule extends PhaseTraits {
  readonly rule: Rule<RuleBody>;
  readonly type: RuleType;
  /** The kind's name, for explanations: `pattern`, `deny`, `foreach` … */
  readonly kind: string;
  readonly selector: RuleSelector;
  /** Set where the index finds the rule only for objects that it selects. */
  readonly selectsAll?: boolean;
  /** Set for a rule without context, preconditions, exceptions and properties. */
  readonly bodyAlone?: boolean;
  readonly entries: readonly ContextEntry[];
  readonly preconditions: Conditions | undefined;
  readonly exceptions: RuleExceptions;
  readonly action: ActionOf;
  /** `reportProperties`; `undefined` when there are none. */
  readonly properties?: ReportProperties | undefined;
  readonly body: CompiledBody;
  /** The results of the body's constant outcomes. */
  readonly constantResults: ConstantResults;
  /** The values that the rule reads from outside the request, as far as its text shows them. */
  readonly needs: readonly Need[];
  /** Whether the rule reads the requester's roles, which costs a read of the cluster's bindings. */
  readonly needsRoles: boolean;
  readonly needsNamespaceLabels: boolean;
}

/** Whether a policy changes or generates objects beside that of the request, after the answer. */
export function changesOtherObjects({ rules }: CompiledPolicy): boolean {
  return rules.some(({ type }) => changesOthers(type));
}

/** A compiled policy. */
export interface CompiledPolicy {
  readonly policy: Policy<RuleBody>;
  readonly rules: readonly CompiledRule[];
  /** `webhookConfiguration.matchConditions`; `undefined` when there are none. */
  readonly matchConditions: ((input: RuleInput) => boolean) | undefined;
  /** The values that the policy's match conditions read from outside the request. */
  readonly needs: readonly Need[];
  /** Whether some of its rules may be audit rules, which run after the answer. */
  readonly audited: boolean;
  /** The first error of the policy; its rules then answer as its failurePolicy says. */
  readonly broken: Diagnostic | undefined;
}
