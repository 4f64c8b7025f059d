import type { CelType } from "../types/mod.ts";
import { Opaque } from "../values/mod.ts";

/** The value of a name such as `resource` or `yaml`, whose only use is that a library's methods are called on it. */
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
