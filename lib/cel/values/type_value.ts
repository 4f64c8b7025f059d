import { CelObject } from "./object.ts";

/** A type as a value: that of `type(1)` and of the name `int`. Types are equal when their names are. */
export class TypeValue extends CelObject {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}
