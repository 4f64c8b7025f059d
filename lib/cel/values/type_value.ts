import { CelObject } from "./object.ts";

/** A type as a value: what `type(1)` and the name `int` mean. Types are equal when their names are. */
export class TypeValue extends CelObject {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}
