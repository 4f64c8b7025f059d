import type { Need } from "../../context/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { RuleSelector } from "../../match/mod.ts";
import type { CelException, CelPolicyForm, LocatedDocument, Policy } from "../../policy/mod.ts";
import type { CompiledBody, RuleKind } from "../rule_kind.ts";

/** The policy, its exceptions and the receivers of problems, for compiling a spec. */
export interface PolicyTools {
  readonly policy: Policy;
  /** Exceptions from the policy. */
  readonly exceptions: readonly CelException[];
  /** The binding that the rule is for; a policy with several bindings has a rule for each. */
  readonly binding: LocatedDocument | undefined;
  /** Takes a problem at a path in the policy's document; an error makes the policy answer as its failurePolicy says. */
  report(problem: PathDiagnostic): void;
  /** Takes what the policy needs from outside the request. */
  need(need: Need): void;
}

/** A kind of policy that is written in CEL: adding one is a file with such a record, and a line in the table. */
export interface PolicyKind extends CelPolicyForm {
  readonly group: string;
  readonly kinds: readonly string[];
  /** Its rules are run in the phase of this type. */
  readonly type: RuleKind["type"];
  /** Whether a spec has a rule of this kind; every spec has one when absent. */
  applies?(spec: JsonObject): boolean;
  /** Of a kind that is not a policy's first: whether it has a rule for the specs for pod controllers, too. */
  readonly everySpec?: true;
  /** Whether a spec plays a part only on the command line; everywhere when absent. */
  onlyOnCommandLine?(spec: JsonObject): boolean;
  /** For explanations. */
  readonly name: string;
  /** The MatchResources that say which objects a spec is about. */
  constraints(spec: JsonObject): JsonObject | undefined;
  /** Adjusts what a spec selects, where its constraints alone do not say it. */
  adjustSelector?(spec: JsonObject, selector: RuleSelector): RuleSelector;
  compile(spec: JsonObject, tools: PolicyTools): CompiledBody;
}
