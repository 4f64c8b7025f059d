import type { FunctionDeclaration, Library, Overload } from "../libraries/library.ts";
import type { Macro } from "../syntax/mod.ts";
import { type CelType, typeType } from "../types/mod.ts";
import { TypeValue, type Value } from "../values/mod.ts";

/** A name at the root of expressions: a variable of the activation, or a constant. */
export type RootName =
  | { readonly kind: "variable"; readonly name: string; readonly type: CelType }
  | { readonly kind: "constant"; readonly type: CelType; readonly value: Value };

/** All names of one environment. */
export class Declarations {
  readonly container: string;
  readonly macros: readonly Macro[];
  readonly optionals: boolean;
  readonly #names = new Map<string, RootName>();
  readonly #functions = new Map<string, Overload[]>();
  readonly #structs: readonly NonNullable<Library["structs"]>[];

  constructor(options: {
    readonly variables: Readonly<Record<string, CelType>>;
    readonly libraries: readonly Library[];
    readonly container: string;
  }) {
    const { variables, libraries, container } = options;
    this.container = container;
    this.macros = libraries.flatMap(({ macros }) => macros ?? []);
    this.optionals = libraries.some(({ syntax }) => syntax === "optional");
    this.#structs = libraries.flatMap(({ structs }) => structs ?? []);
    for (const library of libraries) this.#include(library);
    for (const [name, type] of Object.entries(variables)) {
      this.#names.set(name, { kind: "variable", name, type });
    }
  }

  #include({ functions, types = [], constants = {} }: Library): void {
    for (const type of types) {
      this.#names.set(type.name, { kind: "constant", type: typeType(type), value: new TypeValue(type.name) });
    }
    for (const [name, { type, value }] of Object.entries(constants)) {
      this.#names.set(name, { kind: "constant", type, value });
    }
    for (const { name, overloads } of functions) {
      const declared = this.#functions.get(name) ?? [];
      declared.push(...overloads);
      this.#functions.set(name, declared);
    }
  }

  /** The names of all variables, constants and functions. */
  allNames(): Iterable<string> {
    return [...this.#names.keys(), ...this.#functions.keys()];
  }

  /** A root name, looked up from the container outwards; from the root when it begins with a dot. */
  lookup(name: string): RootName | undefined {
    for (const candidate of this.#candidates(name)) {
      const found = this.#names.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A function by name, looked up like root names. */
  findFunction(name: string): FunctionDeclaration | undefined {
    for (const candidate of this.#candidates(name)) {
      const overloads = this.#functions.get(candidate);
      if (overloads !== undefined) return { name: candidate, overloads };
    }
    return undefined;
  }

  /** An object type that may be constructed, looked up like root names. */
  findStruct(name: string): CelType | undefined {
    for (const candidate of this.#candidates(name)) {
      for (const find of this.#structs) {
        const type = find(candidate);
        if (type !== undefined) return type;
      }
    }
    return undefined;
  }

  *#candidates(name: string): Generator<string> {
    if (name.startsWith(".")) {
      yield name.slice(1);
      return;
    }
    for (
      let prefix = this.container;
      prefix !== "";
      prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf(".")))
    ) {
      yield `${prefix}.${name}`;
    }
    yield name;
  }
}
