import { type CelType, dynType } from "../types/mod.ts";
import { Opaque } from "./opaque.ts";

/** Stands for some value of a size when costs are estimated before there are values. */
export class Sized extends Opaque {
  readonly type: CelType = dynType;
  readonly #size: number;

  constructor(size: number) {
    super();
    this.#size = size;
  }

  override get size(): number {
    return this.#size;
  }

  override equals(other: Opaque): boolean {
    return this === other;
  }

  override toString(): string {
    return `a value of size ${this.#size}`;
  }
}
