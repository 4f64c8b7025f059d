import { type CelExpression, type Macro, variableName } from "../syntax/mod.ts";
import type { Library } from "./library.ts";

/** Whether a macro's call has this namespace: `cel.bind`, `math.least`. */
export function isNamespace(target: CelExpression | undefined, name: string): boolean {
  return target?.kind === "ident" && target.name === name;
}

const bind: Macro = {
  name: "bind",
  style: "method",
  arity: 3,
  expand({ target, args, offset, fail }) {
    const [variable, value, body] = args;
    if (!isNamespace(target, "cel") || variable === undefined || value === undefined || body === undefined) {
      return undefined;
    }
    const name = variableName(variable);
    if (name === undefined) {
      return fail(variable.offset, "cel.bind() variable names must be simple identifiers");
    }
    return { kind: "bind", name, value, body, offset };
  },
};

/** `cel.bind(name, value, body)`. */
export const bindingsLibrary: Library = { name: "bindings", functions: [], macros: [bind] };

/** A macro of `cel.block` for a variable with a generated name. */
function generated(name: string, arity: number, variable: (numbers: readonly bigint[]) => string): Macro {
  return {
    name,
    style: "method",
    arity,
    expand({ target, args, offset, fail }) {
      if (!isNamespace(target, "cel")) return undefined;
      const numbers: bigint[] = [];
      for (const arg of args) {
        if (arg.kind !== "literal" || typeof arg.value !== "number" || arg.value < 0) {
          return fail(arg.offset, `cel.${name} requires a single non-negative int constant arg`);
        }
        numbers.push(BigInt(arg.value));
      }
      return { kind: "ident", name: variable(numbers), offset };
    },
  };
}

const block: Macro = {
  name: "block",
  style: "method",
  arity: 2,
  expand({ target, args, offset, fail }) {
    const [list, body] = args;
    if (!isNamespace(target, "cel") || list === undefined || body === undefined) return undefined;
    if (list.kind !== "list") {
      return fail(list.offset, "cel.block requires the first arg to be a list literal");
    }
    return list.elements.reduceRight<CelExpression>(
      (inner, { value }, index) => ({ kind: "bind", name: `@index${index}`, value, body: inner, offset }),
      body,
    );
  },
};

/** `cel.block([…], …)` with `cel.index`, `cel.iterVar` and `cel.accuVar`, which optimizers write for shared parts. */
export const blockLibrary: Library = {
  name: "block",
  functions: [],
  macros: /* @__PURE__ */ blockMacros(),
};

/** The macros, made by a call that bundles leave out where nothing uses the library. */
function blockMacros(): NonNullable<Library["macros"]> {
  return [
    block,
    generated("index", 1, ([index]) => `@index${index}`),
    generated("iterVar", 2, ([depth, index]) => `@it:${depth}:${index}`),
    generated("accuVar", 2, ([depth, index]) => `@ac:${depth}:${index}`),
  ];
}
