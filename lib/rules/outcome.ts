import type { Json, JsonObject } from "../json/mod.ts";
import type { ImageNote } from "./verify_images/notes.ts";

/** A change to the cluster that a rule asks for: carried out after the answer, or only shown. */
export interface Effect {
  readonly verb: "create" | "update" | "apply" | "delete";
  /** The object as it shall be; for a delete, what identifies it. */
  readonly object: JsonObject;
  /** The part of the object that is written, `status` or `scale`; absent for the object itself. */
  readonly subresource?: string;
  readonly policy: string;
  readonly rule: string;
  /** Set when the rest is worth doing without it. */
  readonly dispensable?: true;
  /** Why, in one sentence: for logs and dry runs. */
  readonly reason: string;
}

/** What verification of images found out: notes for the validate phase, and texts with their digests. */
export interface ImageFindings {
  readonly notes: readonly ImageNote[];
  /** Replaces the texts at JSON pointers of the object. */
  readonly digests: readonly { readonly pointer: string; readonly text: string }[];
}

/** What a rule body says about one request. */
export interface Outcome {
  readonly result: "pass" | "fail" | "skip" | "error";
  readonly message: string;
  /** What results call it instead of the rule's name: an evaluation that failed, an exception. */
  readonly reportedAs?: string;
  /** Of an error: it refuses the request whatever the policy's failurePolicy says. */
  readonly blocks?: true;
  /** Where a pattern failed: `/spec/containers/0/image/`. */
  readonly path?: string;
  /** The object after a mutation that changed it. */
  readonly patched?: JsonObject;
  /** Set for a rule that was refused when it was loaded. */
  readonly unusable?: true;
  /** Set by a mutation that failed: there is no object any more for the rules that follow. */
  readonly invalidatesObject?: true;
  readonly effects?: readonly Effect[];
  /** Why effects that the rule asks for could not be planned, such as a source that is not there (yet). */
  readonly planErrors?: readonly string[];
  /** Outcomes after the first of a rule that has several, one for each target. */
  readonly moreOutcomes?: readonly Outcome[];
  /** What a rule found out about images in the mutate phase. */
  readonly images?: ImageFindings;
  /** Of a policy's expressions: images whose signatures they asked for, and whether anybody had signed. */
  readonly attempts?: ReadonlyMap<string, boolean>;
  /** Images that some policy of the request must have verified, if the rule passes by itself. */
  readonly required?: readonly string[];
  /** Told as a warning although it is no failure. */
  readonly warns?: true;
  /** There is nothing to report: only what it carries counts. */
  readonly silent?: true;
  /** Further facts for reports, such as the pod security controls. */
  readonly properties?: JsonObject;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** Keys of the exceptions that made a rule skip. */
  readonly exceptions?: readonly string[];
  /** What a failed pattern wanted and found, for explanations. */
  readonly expected?: Json;
  readonly actual?: Json;
}

/** The rule holds. */
export function pass(message: string): Outcome {
  return { result: "pass", message };
}

/** The rule is violated. */
export function fail(message: string, path?: string): Outcome {
  return path === undefined ? { result: "fail", message } : { result: "fail", message, path };
}

/** The rule does not apply after all. */
export function skip(message: string): Outcome {
  return { result: "skip", message };
}

/** The rule could not be evaluated. */
export function error(message: string): Outcome {
  return { result: "error", message };
}
