import type { CelType } from "../types/mod.ts";
import { Opaque } from "../values/mod.ts";

/** The value of a name such as `resource` or `yaml`, on which a library's methods are called. */
export class NamespaceValue extends Opaque {
  readonly type: CelType;

  constructor(type: CelType) {
    super();
    this.type = type;
  }

  equals(other: Opaque): boolean {
    return this === other;
  }

  toString(): string {
    return this.type.name;
  }
}
