import type { CelExpression } from "../syntax/mod.ts";
import {
  boolType,
  type CelType,
  describeType,
  dynType,
  errorType,
  mostGeneral,
  Substitution,
} from "../types/mod.ts";
import { didYouMean, type TextProblem } from "../../diagnostics/mod.ts";
import type { CallReference } from "./checked.ts";
import type { Declarations, RootName } from "./declarations.ts";
import { resolveOverloads } from "./overloads.ts";

/** The most errors with a hint: a hostile expression may have thousands of unknown names. */
const mostHints = 10;

/** The types, names, calls and errors that the checker has found so far, and the variables in scope. */
export class Inference {
  readonly substitution = new Substitution();
  readonly errors: TextProblem[] = [];
  readonly names = new Map<CelExpression, RootName>();
  readonly calls = new Map<CelExpression, CallReference>();
  readonly #declarations: Declarations;
  /** The variables of the comprehensions around the current part, innermost last. */
  readonly #scopes: ReadonlyMap<string, CelType>[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Reports an error, and returns the type of the wrong expression. */
  report(offset: number, message: string): CelType {
    this.errors.push({ offset, message });
    return errorType;
  }

  /** Reports that a type is not the expected one. */
  mismatch(offset: number, expected: CelType, found: CelType): CelType {
    const [wanted, given] = [expected, found].map((type) => describeType(this.substitution.apply(type)));
    return this.report(offset, `expected type '${wanted}' but found '${given}'`);
  }

  /** Reports an unknown name. */
  undeclared(offset: number, name: string): CelType {
    const { container } = this.#declarations;
    const message = `undeclared reference to '${name}' (in container '${container}')`;
    const meant = this.errors.length < mostHints
      ? didYouMean(name, this.#declarations.allNames())
      : undefined;
    const hint = meant && `did you mean "${meant}"?`;
    this.errors.push({ offset, message, hint });
    return errorType;
  }

  /** Returns the type of the innermost variable of a name. */
  local(name: string): CelType | undefined {
    for (let depth = this.#scopes.length - 1; depth >= 0; depth--) {
      const type = this.#scopes[depth]!.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  /** Runs a check with further variables in scope. */
  within<T>(variables: ReadonlyMap<string, CelType>, body: () => T): T {
    this.#scopes.push(variables);
    try {
      return body();
    } finally {
      this.#scopes.pop();
    }
  }

  /** Returns the type of a declared name, and records that the expression reads it. */
  root(expression: CelExpression, name: string): CelType | undefined {
    const found = this.#declarations.lookup(name);
    if (found === undefined) return undefined;
    this.names.set(expression, found);
    return found.type;
  }

  /** Determines the overloads and the type of a call; an error when none fits. */
  resolve(
    expression: CelExpression,
    name: string,
    call: {
      readonly args: readonly CelExpression[];
      readonly types: readonly CelType[];
      readonly offset: number;
      readonly style?: "method";
    },
  ): CelType {
    const { args, types, offset, style = "function" } = call;
    const declaration = this.#declarations.findFunction(name);
    if (declaration === undefined) return this.undeclared(offset, name);
    const resolution = resolveOverloads(declaration, { style, types }, this.substitution);
    if (resolution === undefined) {
      const fits = (arity: number): boolean => arity === args.length;
      const overloads = declaration.overloads.filter((one) =>
        one.style === style && fits(one.parameters.length)
      );
      this.calls.set(expression, { name: declaration.name, overloads, args });
      return this.noOverload(declaration.name, types, { offset, style });
    }
    this.calls.set(expression, { name: declaration.name, overloads: resolution.overloads, args });
    return resolution.type;
  }

  /** Reports that no overload takes the types. */
  noOverload(
    name: string,
    types: readonly CelType[],
    { offset, style }: { readonly offset: number; readonly style?: "function" | "method" },
  ): CelType {
    const described = types.map((type) => describeType(this.substitution.close(type)));
    const signature = style === "method"
      ? `${described[0]}.(${described.slice(1).join(", ")})`
      : `(${described.join(", ")})`;
    return this.report(offset, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  /** Reports a type that is not bool. */
  expectBool(type: CelType, offset: number): void {
    if (!this.substitution.assign([type], [boolType])) this.mismatch(offset, boolType, type);
  }

  /** The common type of an element and those before it. */
  join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.substitution.assign([previous], [current])) return mostGeneral(previous, current);
    return dynType;
  }
}
