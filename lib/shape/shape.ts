/**
 * The fields of policies, as data: the loader accepts them, and "did you mean" suggests them. A shape is a record of
 * fields, a list of one shape, a set of texts, or `open` for a subtree with any fields.
 */
export type Shape =
  | "open"
  | "text"
  | "flag"
  | "number"
  | ReadonlySet<string>
  | { readonly [field: string]: Shape }
  | readonly [Shape];

/** Whether a shape is a set of texts. */
export function isChoice(shape: Shape): shape is ReadonlySet<string> {
  return shape instanceof Set;
}

/** The descriptions of fields, by field name, or by the parent's name and the field's: `configMap.name`. */
export type FieldNotes = Readonly<Record<string, string>>;

/** A LabelSelector. */
export const selectorShape: Shape = {
  matchLabels: "open",
  matchExpressions: [{ key: "text", operator: "text", values: ["open"] }],
};
