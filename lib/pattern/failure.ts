import { type Fault, field, isList, type Json } from "../json/mod.ts";
import { messageOf, originOf, pathOf, type PathStep, type PatternMismatch } from "./mismatch.ts";

/** The result of comparing a resource with a pattern. */
export type PatternResult = { readonly status: "pass" } | PatternFailure;

/** A resource that does not agree with its pattern. Each text is made when a caller reads it. */
export interface PatternFailure {
  /** `skip`: the pattern does not apply. `error`: there is no path to report, see {@link PatternFailure.path}. */
  readonly status: "fail" | "skip" | "error";
  /**
   * The path of the failure, such as `/spec/containers/0/image/`. It is empty for a skip. It is also empty, and the
   * status then `error`, when the resource lacks an anchored key, when a list is too short, and when a template has
   * no value.
   */
  readonly path: string;
  /** The reason in Kyverno's words, without the rule's name and message. */
  readonly message: string;
  /** The steps to where the comparison ended, also when `path` is empty. */
  readonly steps: readonly PathStep[];
  /** The part of the pattern that the resource does not match; `undefined` for a key that must be absent. */
  readonly expected: Json | undefined;
  /** The resource's value there; `undefined` when it has none. */
  readonly actual: Json | undefined;
  /** The `name` of the innermost list element on the way, such as the container's. */
  readonly element: string | undefined;
  /** Why a template has no value; `undefined` for other failures. */
  readonly fault: Fault | undefined;
}

/** A failure of the resource. */
export class MismatchFailure implements PatternFailure {
  readonly status: "fail" | "skip" | "error";
  readonly path: string;
  readonly fault = undefined;
  readonly #mismatch: PatternMismatch;
  readonly #resource: Json | undefined;

  constructor(status: "fail" | "skip" | "error", mismatch: PatternMismatch, resource: Json | undefined) {
    this.status = status;
    this.path = status === "fail" ? pathOf(mismatch) : "";
    this.#mismatch = mismatch;
    this.#resource = resource;
  }

  get message(): string {
    return messageOf(this.#mismatch);
  }

  get steps(): readonly PathStep[] {
    return originOf(this.#mismatch).steps;
  }

  get expected(): Json | undefined {
    return originOf(this.#mismatch).origin.expected;
  }

  get actual(): Json | undefined {
    return originOf(this.#mismatch).origin.actual;
  }

  get element(): string | undefined {
    let name: string | undefined;
    let value = this.#resource;
    for (const step of this.steps) {
      value = typeof step === "number" ? (isList(value) ? value[step] : undefined) : field(value, step);
      const found = typeof step === "number" ? field(value, "name") : undefined;
      if (typeof found === "string") name = found;
    }
    return name;
  }
}

/** A failure to fill in the pattern's templates. */
export function faultFailure(fault: Fault): PatternFailure {
  const { message } = fault;
  return {
    status: "error",
    path: "",
    message,
    steps: [],
    expected: undefined,
    actual: undefined,
    element: undefined,
    fault,
  };
}
