import { Fault, type Json } from "../../json/mod.ts";

/**
 * The `$names` that an expression sees. Bindings are never changed: adding one makes new bindings that shadow the
 * old. A value may be given as a function, which runs once when the name is first read.
 *
 * ```ts
 * import { Bindings } from "./bindings.ts";
 * import assert from "node:assert/strict";
 * const outer = Bindings.none.with("x", 1);
 * const inner = outer.with("x", 2).withLazy("y", () => 3);
 * assert.deepEqual([outer.get("x"), inner.get("x"), inner.get("y"), outer.get("y")], [1, 2, 3, undefined]);
 * ```
 */
export class Bindings {
  /** No names at all. */
  static readonly none: Bindings = new Bindings(undefined, "", null);

  readonly #parent: Bindings | undefined;
  readonly #name: string;
  #value: Json | Fault | (() => Json | Fault);

  private constructor(
    parent: Bindings | undefined,
    name: string,
    value: Json | Fault | (() => Json | Fault),
  ) {
    this.#parent = parent;
    this.#name = name;
    this.#value = value;
  }

  /** These bindings and one more, which hides an older one of the same name. */
  with(name: string, value: Json): Bindings {
    return new Bindings(this, name, value);
  }

  /** As {@link with}, for a value that is computed when it is first needed. */
  withLazy(name: string, value: () => Json | Fault): Bindings {
    return new Bindings(this, name, value);
  }

  /** The value of a name, without its `$`; `undefined` when it is not bound, a fault when computing it failed. */
  get(name: string): Json | Fault | undefined {
    const found = this.#find(name);
    return found === undefined ? undefined : found.#computed();
  }

  /** Whether a name is bound, without computing its value. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The last link has no parent and binds nothing. */
  #find(name: string): Bindings | undefined {
    if (this.#parent === undefined) return undefined;
    return this.#name === name ? this : this.#parent.#find(name);
  }

  #computed(): Json | Fault {
    if (typeof this.#value === "function") {
      const compute = this.#value;
      this.#value = new Fault(`the value of $${this.#name} depends on itself`);
      this.#value = compute();
    }
    return this.#value;
  }
}
