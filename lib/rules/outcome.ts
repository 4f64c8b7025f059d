import type { JsonObject } from "../json/mod.ts";
import type { ImageNote } from "./verify_images/notes.ts";

/** A subresource of an object, with the type of the object: a subresource may have another type, such as Scale. */
export interface WrittenSubresource {
  /** `status`, `scale`. */
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/** A change of a rule to the cluster. `lib/background` carries it out after the answer; a dry run only shows it. */
export interface Effect {
  readonly verb: "create" | "update" | "apply" | "delete";
  /** The wanted object; for a deletion, the fields that identify it. */
  readonly object: JsonObject;
  /** Set when a subresource is written, and not the object itself. */
  readonly subresource?: WrittenSubresource;
  readonly policy: string;
  readonly rule: string;
  /** Set when the stored object is as wanted already: it counts as made, and nothing is written. */
  readonly inStep?: true;
  /** Set when the other effects are useful without it. */
  readonly dispensable?: true;
  /** The reason in one sentence, for logs and dry runs. */
  readonly reason: string;
}

/** The results of verifying the images of an object, for the next phase. */
export type ImageFindings =
  | {
    readonly phase: "mutate";
    /** The notes for the validate phase. */
    readonly notes: readonly ImageNote[];
    /** The texts that replace those at JSON pointers of the object. */
    readonly digests: readonly { readonly pointer: string; readonly text: string }[];
  }
  | {
    readonly phase: "validate";
    /** The images whose signatures expressions verified, and whether a signature was valid. */
    readonly attempts: ReadonlyMap<string, boolean>;
    /** The images that some policy of the request must have verified for the rule to pass. */
    readonly required: readonly string[];
  };

/** The fields that every outcome may have. */
interface Reported {
  readonly message: string;
  /** The name that results show instead of the rule's, for a failed evaluation or an exception. */
  readonly reportedAs?: string;
  readonly images?: ImageFindings;
  /** Properties for reports, such as the pod security controls. */
  readonly properties?: JsonObject;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** The planned effects of an outcome. */
interface Planned {
  readonly effects?: readonly Effect[];
  /** Why effects could not be planned, such as a missing source. */
  readonly planErrors?: readonly string[];
}

/** The resource satisfies the rule. */
export interface PassOutcome extends Reported, Planned {
  readonly result: "pass";
  /** The object after a mutation that changed it. */
  readonly patched?: JsonObject;
  /** Keys of the exceptions that made the rule pass. */
  readonly exceptions?: readonly string[];
  /** Reports leave the outcome out: only its {@link ImageFindings} count. */
  readonly silent?: true;
}

/** The resource breaks the rule. For a generate rule: the trigger is gone. */
export interface FailOutcome extends Reported, Planned {
  readonly result: "fail";
  /** The path at which a pattern failed: `/spec/containers/0/image/`. */
  readonly path?: string;
}

/** The rule does not apply. */
export interface SkipOutcome extends Reported {
  readonly result: "skip";
  /** Keys of the exceptions that made the rule skip. */
  readonly exceptions?: readonly string[];
  /** Set when the answer shows the message as a warning. */
  readonly warns?: true;
}

/** The rule could not be evaluated. */
export interface ErrorOutcome extends Reported {
  readonly result: "error";
  /**
   * The effect of the error on the request. Without it the strictest failurePolicy of the request decides.
   * - `blocking`: it denies the request whatever the failurePolicy says.
   * - `unusable`: the rule could not be loaded. The failurePolicy of the rule's policy decides.
   * - `objectLost`: a mutation failed, so that the rules that follow have no object.
   * - `targetMissing`: an object that the rule names as a target does not exist (yet); nothing else failed.
   * - `changesStay`: a mutation failed; under failurePolicy Ignore what the policy's other mutations changed stays.
   * - `unbound`: a binding has no parameters. The failurePolicy of its policy decides, also where it only audits.
   */
  readonly meaning?: "blocking" | "unusable" | "objectLost" | "targetMissing" | "changesStay" | "unbound";
}

/** The result of running a rule body for one request. */
export type Outcome = PassOutcome | FailOutcome | SkipOutcome | ErrorOutcome;

/** The outcomes of a rule that has several, such as one for each target, in order. */
export interface OutcomeList {
  readonly result: "list";
  readonly outcomes: readonly [Outcome, ...Outcome[]];
}

/** Returns one outcome as it is, several as a list, and `undefined` for none. */
export function listed(outcomes: readonly Outcome[]): Outcome | OutcomeList | undefined {
  const [first, ...rest] = outcomes;
  return first === undefined || rest.length === 0 ? first : { result: "list", outcomes: [first, ...rest] };
}

/** The outcome of a rule that holds. */
export function pass(message: string): PassOutcome {
  return { result: "pass", message };
}

/** The outcome of a rule that is violated. */
export function fail(message: string, path?: string): FailOutcome {
  return path === undefined ? { result: "fail", message } : { result: "fail", message, path };
}

/** The outcome of a rule that does not apply. */
export function skip(message: string): SkipOutcome {
  return { result: "skip", message };
}

/** The outcome of a rule that could not be evaluated. */
export function error(message: string): ErrorOutcome {
  return { result: "error", message };
}

/** The keys of the exceptions that made a rule skip or pass; `undefined` when none did. */
export function exceptionsOf(outcome: Outcome): readonly string[] | undefined {
  return outcome.result === "skip" || outcome.result === "pass" ? outcome.exceptions : undefined;
}

/** The path at which a pattern failed; `undefined` for other outcomes. */
export function failedPath(outcome: Outcome): string | undefined {
  return outcome.result === "fail" ? outcome.path : undefined;
}

/** The object that a mutation changed; `undefined` when nothing changed. */
export function patchedObject(outcome: Outcome): JsonObject | undefined {
  return outcome.result === "pass" ? outcome.patched : undefined;
}

/** The planned effects of an outcome. */
export function effectsOf(outcome: Outcome): readonly Effect[] {
  return (outcome.result === "pass" || outcome.result === "fail" ? outcome.effects : undefined) ?? [];
}

/** Why effects could not be planned. */
export function planErrorsOf(outcome: Outcome): readonly string[] {
  return (outcome.result === "pass" || outcome.result === "fail" ? outcome.planErrors : undefined) ?? [];
}
