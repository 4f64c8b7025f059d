import type { PathDiagnostic } from "../diagnostics/mod.ts";
import type { Context, Need } from "../context/mod.ts";
import type { DocumentPath, JsonObject } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Draft } from "../patch/mod.ts";
import type { LogTrust, SignatureLayout, Signer } from "../ports.ts";
import type { Policy, PolicyException, Rule, RuleBody } from "../policy/mod.ts";
import type { Use } from "../template/mod.ts";
import type { Outcome, OutcomeList } from "./outcome.ts";

/** The input of a rule body. */
export interface RuleInput {
  /** The rule's context: request, images, its entries. */
  readonly context: Context;
  /** The object as it is now: for mutations, after the rules before. `undefined` when there is none (DELETE). */
  readonly resource: JsonObject | undefined;
  readonly oldResource: JsonObject | undefined;
  readonly operation: string;
  /** Of the request, not of the object. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The request as the API server sent it. */
  readonly request: JsonObject;
  /** Labels of the request's namespace, where the caller gave them instead of a cluster. */
  readonly namespaceLabels?: JsonObject | undefined;
  /** Of a generate rule: the trigger is gone or no longer matches, and so is what the rule made for it. */
  readonly triggerGone?: true;
  /** Exceptions that match and carry pod security controls. */
  readonly exceptions: readonly PolicyException[];
}

/** A rule body, compiled. No outcome means that the rule has nothing to say about the request. */
export interface CompiledBody {
  run(input: RuleInput): Outcome | OutcomeList | undefined;
  /**
   * Whether the rule is about the object, decided before its preconditions; an outcome when that is unknown. Without
   * it every object that the rule matches counts.
   */
  about?(input: RuleInput): boolean | Outcome;
  /** Outcomes that it gives again and again, each the same object every time: their results are made at load. */
  readonly constants?: readonly Outcome[];
  /**
   * Of a mutation that always merges the same patch: what `run` says of the draft's resource, with the patch merged into
   * the draft. It sees nothing but the draft.
   */
  readonly merge?: (draft: Draft) => Outcome;
  /** The objects that it generates; absent when it generates none. */
  readonly downstream?: Downstream;
  /** Set when objects that exist are looked at once its policy comes into force. */
  readonly looksBack?: boolean;
  /** Who must have signed, as far as the body's text says. */
  readonly signers?: readonly WrittenSigner[];
}

/** A signer that a policy names, with its path below the rule. */
export interface WrittenSigner {
  readonly path: DocumentPath;
  readonly by: Signer;
  readonly log: LogTrust;
  readonly layout: SignatureLayout;
  /** Where the signatures are; empty for the image's repository. */
  readonly repository: string;
}

/** A body that never has several outcomes, such as a check of `foreach`. */
export interface SingleBody extends CompiledBody {
  run(input: RuleInput): Outcome | undefined;
}

/**
 * The objects that a rule generates, as far as its text shows them. Classic and CEL rules state it alike;
 * `background`, `live` and `manifests` read it.
 */
export interface Downstream {
  /** Whether what was made is kept as the rule says. */
  readonly synchronize: boolean;
  /** The fate of synchronized objects when the rule is deleted. */
  readonly onPolicyDelete: "orphan" | "delete";
  /** The types of what is made or copied; only those that are known without a request. */
  readonly types: readonly ObjectType[];
}

/** The type of an object. An empty apiVersion means any. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The policy and rule of a body that is compiled, and the receivers of its needs, problems and variables. */
export interface RuleTools {
  readonly policy: Policy;
  /** The rule that the body is of. */
  readonly rule: Rule;
  readonly dialect: Dialect;
  /** Takes what the rule needs from outside the request. */
  need(need: Need): void;
  /** Takes a problem at a path below the rule; an error makes the rule fail as its policy's failurePolicy says. */
  report(problem: PathDiagnostic): void;
  /** Takes the variables of a template that stands at a path below the rule, so that unknown ones are reported. */
  variables(uses: readonly Use[], path: DocumentPath, locals?: readonly string[]): void;
}

/** The type of a rule, as metrics and reports name it. */
export type RuleType = "validate" | "mutate" | "generate" | "verifyImages" | "checkImages" | "mutateExisting";

/** Whether rules of the type judge an object; the others change or make objects. */
export function judges(type: RuleType): boolean {
  return type === "validate" || type === "verifyImages" || type === "checkImages";
}

/** A kind of rule: adding one is a file with such a record, and a line in the table. */
export interface RuleKind<Body extends RuleBody = RuleBody> {
  readonly type: RuleType;
  /** As explanations name it. */
  readonly name: string;
  compile(body: Body, tools: RuleTools): CompiledBody;
  /** The kind that runs the same rule in a later phase of the request. */
  readonly then?: RuleKind<Body>;
}
