/** Paths by the kind of their content: `{ policies: ["-"], reviews: ["records"] }`. */
export type PathsByContent = Readonly<Record<string, readonly (string | undefined)[]>>;

/**
 * The error about several uses of `-`: a command can read standard input only once, so it has one kind of content.
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
