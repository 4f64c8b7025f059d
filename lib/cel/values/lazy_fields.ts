import type { CelFault } from "../fault.ts";
import type { CelType } from "../types/mod.ts";
import { Opaque } from "./opaque.ts";
import type { Value } from "./value.ts";

/**
 * A value whose fields are computed when an expression asks for them, each at most once: the `variables` of a policy.
 * Errors are kept too.
 */
export class LazyFields extends Opaque {
  readonly type: CelType;
  readonly #load: (name: string) => Value | CelFault | undefined;
  readonly #known = new Map<string, Value | CelFault | undefined>();

  constructor(type: CelType, load: (name: string) => Value | CelFault | undefined) {
    super();
    this.type = type;
    this.#load = load;
  }

  override field(name: string): Value | CelFault | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const value = this.#load(name);
    this.#known.set(name, value);
    return value;
  }

  override equals(other: Opaque): boolean {
    return this === other;
  }

  override toString(): string {
    return this.type.name;
  }
}
