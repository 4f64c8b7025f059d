import { Fault, type Json } from "../../json/mod.ts";
import type { Bindings, CommunityExpression, CommunityInput } from "../../jmespath/mod.ts";

/** A compiled expression of a tree. */
export type TreeExpression = CommunityExpression;

/** Compiles one expression; a fault says why it cannot be compiled. */
export type Compile = (text: string) => TreeExpression | Fault;

/**
 * The CEL compiler of assertion trees. In the compiled expression `object` is the value, and
 * `bindings.resolve("name")` reads a binding.
 */
export type CelCompile = (
  text: string,
) => ((object: Json, resolve: (name: string) => Json | Fault) => Json | Fault) | Fault;

/** The compilers by the name that `compiler` and `(name;…)` use: `jp` and, where CEL is plugged in, `cel`. */
export interface Compilers {
  readonly byName: ReadonlyMap<string, Compile>;
  /** The compiler of `(…)`. */
  readonly standard: Compile;
}

/** Makes the table of compilers. Without CEL, its expressions are faults. */
export function compilersOf(jmespath: Compile, cel?: CelCompile): Compilers {
  const missing: Compile = () => new Fault("CEL is not available here");
  const byName = new Map([["jp", jmespath], ["cel", cel === undefined ? missing : celCompiler(cel)]]);
  return { byName, standard: jmespath };
}

/** The compilers with another default. An unknown name keeps the default. */
export function withDefault(compilers: Compilers, name: Json | undefined): Compilers {
  const standard = typeof name === "string" ? compilers.byName.get(name) : undefined;
  return standard === undefined ? compilers : { ...compilers, standard };
}

function celCompiler(cel: CelCompile): Compile {
  return (text) => {
    const program = cel(text);
    if (program instanceof Fault) return program;
    return (value, { bindings }: CommunityInput) => program(value, (name) => resolve(bindings, name));
  };
}

function resolve(bindings: Bindings, name: string): Json | Fault {
  const value = bindings.get(name);
  return value === undefined ? new Fault(`variable not defined: $${name}`) : value;
}
