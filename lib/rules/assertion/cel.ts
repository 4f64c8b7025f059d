import {
  celToJson,
  createEnvironment,
  dynType,
  failure,
  formatCelError,
  kubernetesLibraries,
  type Library,
  Opaque,
  opaqueType,
  stringType,
} from "../../cel/mod.ts";
import { Fault, type Json } from "../../json/mod.ts";
import type { CelCompile } from "./compilers.ts";

const bindingsType = opaqueType("bindings");

/** The bindings as a CEL value. Its only use is to read a binding. */
class TreeBindings extends Opaque {
  readonly type = bindingsType;
  readonly resolve: (name: string) => Json | Fault;

  constructor(resolve: (name: string) => Json | Fault) {
    super();
    this.resolve = resolve;
  }

  override equals(other: Opaque): boolean {
    return other === this;
  }

  override toString(): string {
    return "bindings";
  }
}

const bindingsLibrary: Library = {
  name: "bindings",
  functions: [{
    name: "resolve",
    overloads: [{
      id: "bindings_resolve_string",
      style: "method",
      parameters: [bindingsType, stringType],
      result: dynType,
      call: (bindings, name) => {
        const value = (bindings as TreeBindings).resolve(name as string);
        return value instanceof Fault ? failure(value.message) : value;
      },
    }],
  }],
};

/**
 * CEL for assertion trees: `object` is the current value, and `bindings.resolve("name")` reads a binding. It has the
 * functions of admission policies, among them Kyverno's: optional values, strings and sets.
 */
export function celForTrees(): CelCompile {
  const environment = createEnvironment({
    variables: { object: dynType, bindings: bindingsType },
    libraries: [...kubernetesLibraries, bindingsLibrary],
    literals: "homogeneous",
  });
  return (text) => {
    const compiled = environment.compile(text);
    if (!compiled.ok) {
      return new Fault(compiled.errors.map(formatCelError).join("\n"));
    }
    const { program } = compiled;
    return (object, resolve) => {
      const bindings = new TreeBindings(resolve);
      return celToJson(program.evaluate((name) => variables(name, object, bindings)));
    };
  };
}

function variables(name: string, object: Json, bindings: TreeBindings): Json | TreeBindings | undefined {
  if (name === "object") return object;
  return name === "bindings" ? bindings : undefined;
}
