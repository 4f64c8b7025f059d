import type { CelType } from "../types/mod.ts";
import { Opaque } from "../values/mod.ts";

/** What a name such as `resource` or `yaml` stands for on whose methods a library is called: it has no other use. */
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
