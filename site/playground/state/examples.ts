/** The examples, which the build takes from the repository's tests. */
import type { PlaygroundState } from "./store.ts";

/** A result that the test of an example expects. */
export interface ExpectedResult {
  readonly policy: string;
  /** Empty for all rules of the policy. */
  readonly rule: string;
  /** Empty for any. */
  readonly kind: string;
  /** `name` or `namespace/name`; empty for all objects. */
  readonly resources: readonly string[];
  readonly result: string;
}

/** A state to begin with, and what its test expects. */
export interface Example {
  /** The path of its test, which the address of the example has. */
  readonly id: string;
  readonly section: string;
  readonly title: string;
  readonly summary: string;
  readonly state: PlaygroundState;
  readonly expected: readonly ExpectedResult[];
}

let loaded: Promise<readonly Example[]> | undefined;

/** All examples; fetched from beside the page when they are first needed. */
export function examples(): Promise<readonly Example[]> {
  return loaded ??= fetch("examples.json").then((response) => response.json());
}
