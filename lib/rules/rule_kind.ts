import type { PathDiagnostic } from "../diagnostics/mod.ts";
import type { Context, Need } from "../context/mod.ts";
import type { DocumentPath, Json, JsonObject } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Draft } from "../patch/mod.ts";
import type { PatternTree } from "../pattern/mod.ts";
import type { LogTrust, SignatureLayout, Signer } from "../ports.ts";
import type { ParsedBody, Policy, PolicyException, Rule, Section } from "../policy/mod.ts";
import type { Shape } from "../shape/mod.ts";
import type { Use } from "../template/mod.ts";
import type { CompiledConditions } from "./compiled_conditions.ts";
import type { Outcome, OutcomeList } from "./outcome.ts";

/** The input of a rule body. */
export interface RuleInput {
  /** The rule's context: the request, images and context entries. */
  readonly context: Context;
  /** The object now; for mutations, as the rules before left it. `undefined` when there is none (DELETE). */
  readonly resource: JsonObject | undefined;
  readonly oldResource: JsonObject | undefined;
  readonly operation: string;
  /** The type of the request, not of the object. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The request as the API server sent it. */
  readonly request: JsonObject;
  /** The format of a payload; absent for requests. Whole numbers of YAML are ints, those of JSON doubles. */
  readonly payload?: "json" | "yaml" | undefined;
  /** The labels of the request's namespace, if the caller gave them. */
  readonly namespaceLabels?: JsonObject | undefined;
  /** The Namespace for Kyverno's policies in CEL, if the caller gave it; null when no file describes it. */
  readonly namespaceObject?: JsonObject | null | undefined;
  /** Set for a generate rule whose trigger is gone or no longer matches: its downstream is then deleted. */
  readonly triggerGone?: true;
  /** The matching exceptions with pod security controls. */
  readonly exceptions: readonly PolicyException[];
}

/** A compiled rule body. No outcome means that the rule has no result for the request. */
export interface CompiledBody {
  run(input: RuleInput): Outcome | OutcomeList | undefined;
  /**
   * Whether the rule applies to the object, decided before its preconditions; an outcome when that is unknown. When
   * absent, the rule applies to every object that it matches.
   */
  applies?(input: RuleInput): boolean | Outcome;
  /** The outcomes that it returns repeatedly as the same object: their results are made at load. */
  readonly constants?: readonly Outcome[];
  /**
   * A pattern without variables. The body's outcome for an object that agrees with it is the first of the
   * {@link constants}, unless the object is deleted.
   */
  readonly tree?: PatternTree | undefined;
  /**
   * Merges a constant patch into the draft and returns the outcome; only for mutations that always merge the same
   * patch. It reads nothing but the draft.
   */
  readonly merge?: (draft: Draft) => Outcome;
  /** The objects that it generates; absent when it generates none. */
  readonly downstream?: Downstream;
  /** Set when the rule also applies to objects that exist when its policy comes into force. */
  readonly appliesToExisting?: boolean;
  /** The outcome of a body with mistakes, where its kind has a message for them. */
  readonly unusable?: Outcome | undefined;
  /** The possible signers, as far as the body's text names them. */
  readonly signers?: readonly WrittenSigner[];
}

/** A signer that a policy names, with its path below the rule. */
export interface WrittenSigner {
  readonly path: DocumentPath;
  readonly by: Signer;
  readonly log: LogTrust;
  readonly layout: SignatureLayout;
  /** The repository of the signatures; empty for the image's repository. */
  readonly repository: string;
}

/** A body with at most one outcome, such as a check of `foreach`. */
export interface SingleBody extends CompiledBody {
  run(input: RuleInput): Outcome | undefined;
}

/**
 * The objects that a rule generates, as far as its text shows them. Classic and CEL rules state it alike;
 * `background`, `live` and `manifests` read it.
 */
export interface Downstream {
  /** Whether generated objects are kept in step with the rule. */
  readonly synchronize: boolean;
  /** The fate of synchronized objects when the rule is deleted. */
  readonly onPolicyDelete: "orphan" | "delete";
  /** The types of generated and copied objects that do not depend on a request. */
  readonly types: readonly ObjectType[];
  /**
   * Whether a policy in CEL reads what only the request of a trigger has, such as its user: what it generates for the
   * stored trigger may then be another object.
   */
  readonly dependsOnRequest: boolean;
}

/** The type of an object. An empty apiVersion means any. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The policy and rule of a body that is compiled, and the receivers of its needs, problems and variables. */
export interface RuleTools {
  readonly policy: Policy;
  /** The rule of the body. */
  readonly rule: Rule;
  readonly dialect: Dialect;
  /** The conditions that were compiled for other rules. */
  readonly conditions: CompiledConditions;
  /** Returns the fields that a rule of the policy writes differently from earlier ones. */
  readonly conflicts: (rule: Rule) => readonly MutationConflict[];
  /** Receives the values that the rule reads from outside the request. */
  need(need: Need): void;
  /** Receives a problem at a path below the rule. An error makes the rule answer as its policy's failurePolicy says. */
  report(problem: PathDiagnostic): void;
  /** Receives the variables of a template at a path below the rule, so that unknown ones are reported. */
  variables(uses: readonly Use[], path: DocumentPath, locals?: readonly string[]): void;
}

/** A field that two rules write differently. */
export interface MutationConflict {
  /** The earlier rule. */
  readonly rule: string;
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
}

/** The type of a rule, as metrics and reports name it. */
export type RuleType = "validate" | "mutate" | "generate" | "verifyImages" | "checkImages" | "mutateExisting";

/** Whether rules of the type validate an object; the others change or generate objects. */
export function isValidating(type: RuleType): boolean {
  return type === "validate" || type === "verifyImages" || type === "checkImages";
}

/** Whether rules of the type change other objects than that of the request, after the answer. */
export function changesOthers(type: RuleType): type is "generate" | "mutateExisting" {
  return type === "generate" || type === "mutateExisting";
}

/** The steps of an evaluation that the bodies of a kind do themselves. */
export interface PhaseTraits {
  /** Set when an exception does not skip the rule: the body exempts single checks by the exceptions in its input. */
  readonly appliesExceptions?: true;
  /** Set when the body compares the object with the old one. It is then not evaluated for the old object. */
  readonly comparesOldObject?: true;
}

/** How the bodies of a kind are evaluated in one phase of a request. */
export interface RulePhase<Body> {
  readonly type: RuleType;
  /** The name in explanations. */
  readonly name: string;
  readonly traits?: PhaseTraits;
  compile(body: Body, tools: RuleTools): CompiledBody;
}

/**
 * A kind of rule body: its fields, how it is recognised, parsed and moved to pod controllers, and its evaluation.
 * Adding one takes a file with such a record, and a line in the table.
 */
export interface RuleKind<Body extends ParsedBody> extends RulePhase<Body> {
  readonly kind: Body["kind"];
  /** The field of a rule that holds the body. */
  readonly section: Section;
  /** The fields that the kind adds to its section, or to each entry of a section that is a list. */
  readonly shape: { readonly [field: string]: Shape };
  recognises(section: Json): boolean;
  read(section: Json): Body;
  /**
   * The names that variables of a body can read beside the rule's context entries, such as the entries of its loops;
   * absent where there are none.
   */
  names?(body: Body): readonly string[];
  /**
   * The section for pod controllers; `wrap` moves a pattern below the Pod template. Absent or `undefined` when such a
   * body cannot be moved.
   */
  carryOver?(section: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined;
  /**
   * The names of the object and of the old object in expressions, which a carried-over rule reads below the Pod
   * template; `request.object` and `request.oldObject` when absent.
   */
  readonly objectNames?: readonly string[];
  /** The evaluation of the same rule in a later phase of the request. */
  readonly then?: RulePhase<Body>;
}
