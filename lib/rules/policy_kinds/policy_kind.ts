import type { Need } from "../../context/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { RuleSelector } from "../../match/mod.ts";
import type { CelException, LocatedDocument, Policy, Section } from "../../policy/mod.ts";
import type { CompiledBody, RuleType } from "../rule_kind.ts";

/** The policy, its exceptions and the receivers of problems, for compiling a spec. */
export interface PolicyTools {
  readonly policy: Policy;
  /** The exceptions from the policy. */
  readonly exceptions: readonly CelException[];
  /**
   * Receives a problem at a path in the policy's document. An error makes the policy answer as its failurePolicy
   * says.
   */
  report(problem: PathDiagnostic): void;
  /** Receives the values that the policy reads from outside the request. */
  need(need: Need): void;
  /** Makes a value that is the same for all policies, when the first of them needs it. */
  readonly once: <T>(make: () => T) => T;
}

/** A body that a policy has for each of its bindings. Without bindings it runs by itself. */
export interface BindableBody extends CompiledBody {
  /** The body for a binding. */
  readonly forBinding: (binding: LocatedDocument, need: PolicyTools["need"]) => CompiledBody;
}

/** A kind of CEL policy. Adding one takes a file with such a record, and a line in the table. */
export interface PolicyKind {
  readonly group: string;
  readonly kinds: readonly string[];
  /** The section that a classic rule of this kind would have. */
  readonly section: Section;
  /** The type of its rules, which determines their phase. */
  readonly type: RuleType;
  /** The name of the rule in results. */
  readonly ruleName: "none" | "policy";
  /** Returns the specs that autogen derives from the written one. */
  readonly variants: (spec: JsonObject) => readonly JsonObject[];
  /** Whether a spec has a rule of this kind; when absent, every spec has one. */
  applies?(spec: JsonObject): boolean;
  /** Set for a further kind of a policy that also has a rule for each pod controller spec. */
  readonly everySpec?: true;
  /** Whether a spec is evaluated on the command line only; when absent, everywhere. */
  onlyOnCommandLine?(spec: JsonObject): boolean;
  /** The name in explanations. */
  readonly name: string;
  /** Returns the MatchResources of a spec. */
  constraints(spec: JsonObject): JsonObject | undefined;
  /** Adjusts the selector of a spec, where its constraints alone do not determine it. */
  adjustSelector?(spec: JsonObject, selector: RuleSelector): RuleSelector;
  /** Compiles a spec, once for all bindings of the policy. */
  compile(spec: JsonObject, tools: PolicyTools): CompiledBody | BindableBody;
}
