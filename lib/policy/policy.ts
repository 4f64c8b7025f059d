import type { DocumentPath, Json, JsonObject } from "../json/mod.ts";
import type { EntrySpec } from "../context/mod.ts";
import type { Locate } from "../diagnostics/mod.ts";
import type { CelSections } from "./cel_sections.ts";
import type { MatchBlock } from "./match_block.ts";
import type { Section } from "./section.ts";

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

/** The parsed body of a rule; `lib/rules` has the kinds of bodies. */
export interface ParsedBody {
  readonly kind: string;
}

/** The body of a CEL policy: its whole spec. */
export interface ExpressionsBody {
  readonly kind: "expressions";
  readonly spec: JsonObject;
}

/** The body of a rule without one of a supported kind. */
export interface EmptyBody {
  readonly kind: "empty";
  /** Whether the rule has a section, though with the contents of no kind. */
  readonly hasSection: boolean;
}

/** One rule, written by the user or derived by autogen. */
export interface Rule<Body extends ParsedBody = ParsedBody> {
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
  /** The section that holds the body. */
  readonly section: Section;
  readonly body: Body;
  /** The rule's failure action; `undefined` to use the policy's. */
  readonly failureAction: FailureAction | undefined;
  readonly overrides: readonly ActionOverride[];
  readonly allowExistingViolations: boolean;
  /** The only kinds of an autogen rule; `undefined` for a written rule. */
  readonly generatedFor: ReadonlySet<string> | undefined;
}

/** The fields of all policy kinds, checked and with defaults filled in. */
interface PolicyBase<Body extends ParsedBody> {
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
  /** `admission` and `background` as written, of a policy that is evaluated on the command line alone. */
  readonly written?: Pick<PolicyBase<Body>, "admission" | "background">;
  readonly emitWarning: boolean;
  readonly applyRules: "All" | "One";
  readonly timeoutSeconds: number | undefined;
  readonly matchConditions: readonly JsonObject[];
  readonly generateExisting: boolean;
  readonly mutateExistingOnPolicyUpdate: boolean;
  readonly useServerSideApply: boolean;
  /** The rules in file order; autogen rules follow the written ones. */
  readonly rules: readonly Rule<Body>[];
  readonly locate: Locate;
  /** The document as the user wrote it. */
  readonly document: JsonObject;
}

/** A policy of kyverno.io. */
export interface ClassicPolicy<Body extends ParsedBody = ParsedBody> extends PolicyBase<Body> {
  readonly language: "classic";
  readonly kind: "ClusterPolicy" | "Policy";
}

/** A policy of policies.kyverno.io or admissionregistration.k8s.io; it has one rule for each of its specs. */
export interface CelPolicy extends PolicyBase<ExpressionsBody> {
  readonly language: "cel";
  /** `ValidatingPolicy`, `MutatingAdmissionPolicy` … */
  readonly kind: string;
  readonly sections: CelSections;
}

/** A policy of any kind. */
export type Policy<Body extends ParsedBody = ParsedBody> = ClassicPolicy<Body> | CelPolicy;

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
  readonly match: MatchBlock;
  readonly conditions: Json | undefined;
  readonly targets: readonly ExceptionTarget[];
  readonly podSecurity: readonly JsonObject[];
  readonly locate: Locate;
  readonly document: JsonObject;
}
