/** Paths by what they hold: `{ policies: ["-"], reviews: ["records"] }`. */
export type PathsByContent = Readonly<Record<string, readonly (string | undefined)[]>>;

/**
 * Why `-` cannot be read: standard input is read once, so it holds one thing.
 *
 * ```ts
 * import { standardInputProblem } from "./standard_input.ts";
 * import assert from "node:assert/strict";
 * assert.equal(standardInputProblem({ policies: ["-"], resources: ["pods.yaml"] }), undefined);
 * assert.equal(
 *   standardInputProblem({ policies: ["-"], resources: ["-"] }),
 *   "standard input holds policies or resources, not both",
 * );
 * ```
 */
export function standardInputProblem(paths: PathsByContent): string | undefined {
  const [first, second] = Object.entries(paths).filter(([, given]) => given.includes("-"))
    .map(([content]) => content);
  return second === undefined ? undefined : `standard input holds ${first} or ${second}, not both`;
}
