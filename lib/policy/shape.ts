/**
 * The fields of policies, as data: what the loader accepts, and what "did you mean" may suggest. A shape is a record of
 * fields, a list of one shape, or `open` for a subtree that the policy's author fills freely.
 */
export type Shape =
  | "open"
  | "text"
  | "flag"
  | "number"
  | { readonly [field: string]: Shape }
  | readonly [Shape];

/** A LabelSelector. */
export const selectorShape: Shape = {
  matchLabels: "open",
  matchExpressions: [{ key: "text", operator: "text", values: ["open"] }],
};
