import { Fault, type Json } from "../../json/mod.ts";
import type { Bindings, CommunityExpression, CommunityInput } from "../../jmespath/mod.ts";

/** A compiled expression of a tree. */
export type TreeExpression = CommunityExpression;

/** Compiles one expression, or says why it cannot be. */
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
  /** The one for `(…)`. */
  readonly standard: Compile;
}

/** Makes the table of compilers; without CEL its expressions are faults that say so. */
export function compilersOf(jmespath: Compile, cel?: CelCompile): Compilers {
  const missing: Compile = () => new Fault("CEL is not available here");
  const byName = new Map([["jp", jmespath], ["cel", cel === undefined ? missing : celCompiler(cel)]]);
  return { byName, standard: jmespath };
}

/** The compilers with another default; a name that is not known leaves the default, as in Kyverno. */
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
