import type { CelFault } from "../fault.ts";
import type { CelType } from "../types/mod.ts";
import { CelObject } from "./object.ts";
import type { Value } from "./value.ts";

/**
 * A value of a type that a library brings: a quantity, an IP address, an authorizer. Expressions only pass it on; the
 * library's functions know what is inside. Extend this class, with `type` made by `opaqueType("kubernetes.Quantity")`.
 */
export abstract class Opaque extends CelObject {
  abstract readonly type: CelType;

  /** Equality with a value of the same type: what `==` asks. */
  abstract equals(other: Opaque): boolean;

  /** How the value looks as JSON or text when a result holds it. */
  abstract override toString(): string;

  /** What `size`-dependent costs count for it. */
  get size(): number {
    return 1;
  }

  /** The value of a field (`value.field`), or `undefined` when there is none: only few types have fields. */
  field(_name: string): Value | CelFault | undefined {
    return undefined;
  }
}
