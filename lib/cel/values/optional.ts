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
}
