import { CelObject } from "./object.ts";
import type { Value } from "./value.ts";

/** CEL's optional value: one that may be absent. */
export class Optional extends CelObject {
  /** The value, or `undefined` when there is none. */
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    super();
    this.value = value;
  }

  static readonly none: Optional = new Optional(undefined);

  static of(value: Value): Optional {
    return new Optional(value);
  }

  /**
   * An optional of an optional as one: what the reference makes of it when it passes through a variable, a path or a
   * choice. An empty inner one becomes null.
   */
  static collapse(outer: Optional): Optional {
    let value = outer.value;
    if (!(value instanceof Optional)) return outer;
    while (value instanceof Optional) value = value.value ?? null;
    return new Optional(value);
  }
}
