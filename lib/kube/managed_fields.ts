import { asList, dig, type Json, textField } from "../json/mod.ts";

/** The name under which the API server notes Postern's writes: the first word of its `User-Agent`. */
export const posternManager = "postern";

/** The last write of a field manager that added or changed fields of an object. */
export interface FieldWrite {
  readonly manager: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource: string;
  /** In milliseconds since 1970, in whole seconds by the API server's clock; NaN when the entry has no time. */
  readonly at: number;
}

/**
 * The last write of each manager of an object, from `metadata.managedFields`. A write that only removes fields leaves
 * no trace there.
 */
export function fieldWrites(object: Json | undefined): readonly FieldWrite[] {
  return asList(dig(object, "metadata", "managedFields")).map((entry) => ({
    manager: textField(entry, "manager"),
    subresource: textField(entry, "subresource"),
    at: Date.parse(textField(entry, "time")),
  }));
}
