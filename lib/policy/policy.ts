import type { DocumentPath, Json, JsonObject } from "../json/mod.ts";
import type { EntrySpec } from "../context/mod.ts";
import type { Locate } from "../diagnostics/mod.ts";
import type { RuleBody } from "./bodies/mod.ts";
import type { CelSections } from "./cel_sections.ts";
import type { MatchBlock } from "./match_block.ts";

/** The effect of a failed validation on the request. */
export type FailureAction = "Enforce" | "Audit";

/** The effect of an error on the request. */
export type FailurePolicy = "Fail" | "Ignore";

/** A failure action for some namespaces; without namespaces and selector it applies to all. */
export interface ActionOverride {
  readonly action: FailureAction;
  /** Wildcards. */
  readonly namespaces: readonly string[];
  readonly namespaceSelector: JsonObject | undefined;
}

/** One rule, written by the user or derived by autogen. */
export interface Rule {
  readonly name: string;
  /** The path of the written rule in the policy's document. An autogen rule has its source's path. */
  readonly path: DocumentPath;
  readonly match: MatchBlock;
  readonly exclude: MatchBlock | undefined;
  readonly context: readonly EntrySpec[];
  readonly preconditions: Json | undefined;
  readonly celPreconditions: readonly JsonObject[];
  readonly imageExtractors: JsonObject | undefined;
  readonly skipBackgroundRequests: boolean;
  readonly reportProperties: JsonObject | undefined;
  readonly body: RuleBody;
  /** The rule's failure action; `undefined` to use the policy's. */
  readonly failureAction: FailureAction | undefined;
  readonly overrides: readonly ActionOverride[];
  readonly allowExistingViolations: boolean;
  /** The only kinds of an autogen rule; `undefined` for a written rule. */
  readonly generatedFor: ReadonlySet<string> | undefined;
}

/** The fields of all policy kinds, checked and with defaults filled in. */
interface PolicyBase {
  readonly name: string;
  /** The namespace, for namespaced kinds; otherwise `undefined`. */
  readonly namespace: string | undefined;
  /** `name`, or `namespace/name` for a Policy, in messages and exceptions. */
  readonly key: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly failurePolicy: FailurePolicy;
  readonly failureAction: FailureAction;
  readonly overrides: readonly ActionOverride[];
  readonly admission: boolean;
  readonly background: boolean;
  readonly emitWarning: boolean;
  readonly applyRules: "All" | "One";
  readonly timeoutSeconds: number | undefined;
  readonly matchConditions: readonly JsonObject[];
  readonly generateExisting: boolean;
  readonly mutateExistingOnPolicyUpdate: boolean;
  readonly useServerSideApply: boolean;
  /** The rules in file order; autogen rules follow the written ones. */
  readonly rules: readonly Rule[];
  readonly locate: Locate;
  /** The document as the user wrote it. */
  readonly document: JsonObject;
}

/** A policy of kyverno.io. */
export interface ClassicPolicy extends PolicyBase {
  readonly language: "classic";
  readonly kind: "ClusterPolicy" | "Policy";
}

/** A policy of policies.kyverno.io or admissionregistration.k8s.io; it has one rule for each of its specs. */
export interface CelPolicy extends PolicyBase {
  readonly language: "cel";
  /** `ValidatingPolicy`, `MutatingAdmissionPolicy` … */
  readonly kind: string;
  readonly sections: CelSections;
}

/** A policy of any kind. */
export type Policy = ClassicPolicy | CelPolicy;

/** The policies and rules that an exception exempts from. */
export interface ExceptionTarget {
  readonly policyName: string;
  /** Wildcards. */
  readonly ruleNames: readonly string[];
}

/** A PolicyException of kyverno.io. */
export interface PolicyException {
  readonly name: string;
  readonly namespace: string;
  /** `namespace/name`, in messages. */
  readonly key: string;
  readonly background: boolean;
  readonly match: MatchBlock;
  readonly conditions: Json | undefined;
  readonly targets: readonly ExceptionTarget[];
  readonly podSecurity: readonly JsonObject[];
  readonly locate: Locate;
}
