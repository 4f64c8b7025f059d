import type { ObservedCondition } from "../condition/mod.ts";
import type { DocumentPath, Fault, Json } from "../json/mod.ts";
import type { SignatureTried } from "../ports.ts";
import type { EntrySource } from "./entry_source.ts";

/** The owner of a condition that is evaluated. */
export type ConditionOwner = "preconditions" | "deny" | "foreach" | "exception" | "attestation";

/** A comparison with a pattern, for explanations. Path and values are those at which the comparison ended. */
export interface ObservedPattern {
  readonly status: "pass" | "fail" | "skip" | "error";
  /** The index among the patterns of `anyPattern`; `undefined` for `pattern`. */
  readonly alternative: number | undefined;
  readonly message: string;
  /** Keys and indices from the compared value: the object, or the element of a foreach. */
  readonly steps: DocumentPath;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
  /** The `name` of the innermost list element on the way, such as the container's. */
  readonly element: string | undefined;
}

/** An element of a foreach, before its conditions and body are evaluated. */
export interface ObservedElement {
  readonly list: string;
  readonly index: number;
  readonly element: Json;
}

/** A PolicyException that names the rule, and whether it matches the request. */
export interface ObservedException {
  readonly key: string;
  readonly verdict: "applies" | "not matched" | "conditions not met" | "conditions failed";
  /** The criterion that does not match, or why the conditions cannot be evaluated. */
  readonly reason: string;
}

/** A context entry, as explanations name it. */
export interface ObservedEntry {
  readonly name: string;
  readonly source: EntrySource;
}

/** A CEL expression or an entry of `variables`, with its value. */
export interface ObservedExpression {
  readonly expression: string;
  readonly value: Json | Fault;
}

/** A possible signer of an image, and the result of its verification. */
export interface ObservedAttestor {
  readonly image: string;
  /** Below the entry of `verifyImages`: `.attestors[0].entries[1].keys`. */
  readonly path: string;
  /** Empty when the signature verified. */
  readonly failure: string;
  /** The signatures that were verified. */
  readonly tried: readonly SignatureTried[];
}

/**
 * Receives every read, load and comparison of an evaluation. Only requests that are explained have an observer; all
 * other evaluations check that there is none and create nothing for it.
 */
export interface Observer {
  /** The evaluation of a context entry begins. Entries that it reads are reported in between. */
  beginEntry(entry: ObservedEntry): void;
  /** The entry's value; `undefined` when there is nothing to load it from. */
  finishEntry(entry: ObservedEntry, value: Json | Fault | undefined): void;
  /** A value is read from outside; a load begins unless the value is cached or loading. */
  loading(key: string, state: "cached" | "under way" | "begins"): void;
  /** A load has ended. */
  loaded(key: string, answer: Json | Fault): void;
  condition(owner: ConditionOwner, condition: ObservedCondition): void;
  expression(expression: ObservedExpression): void;
  element(element: ObservedElement): void;
  pattern(pattern: ObservedPattern): void;
  exception(exception: ObservedException): void;
  attestor(attestor: ObservedAttestor): void;
}
