import type { CelExpression, Comprehension, Fold } from "./expression.ts";

/** A call that a macro may replace while the text is parsed. */
export interface MacroCall {
  /** The expression before the dot, for calls in method form. */
  readonly target: CelExpression | undefined;
  readonly args: readonly CelExpression[];
  readonly offset: number;
  /** Reports an error, and returns an expression so that parsing can continue. */
  readonly fail: (offset: number, message: string) => CelExpression;
}

/** A macro: a call that the parser expands, such as `has(x.y)`, `list.all(x, …)` and `cel.bind(…)`. */
export interface Macro {
  readonly name: string;
  readonly style: "function" | "method";
  readonly arity: number | "any";
  /** Returns the expression that replaces the call; `undefined` leaves the call as it is. */
  readonly expand: (call: MacroCall) => CelExpression | undefined;
}

/** The expression of the first macro that replaces a call; `undefined` for a call of a function. */
export function expandedMacro(
  macros: readonly Macro[],
  call: MacroCall & { readonly name: string },
): CelExpression | undefined {
  const style = call.target === undefined ? "function" : "method";
  for (const macro of macros) {
    if (macro.name !== call.name || macro.style !== style) continue;
    if (macro.arity !== "any" && macro.arity !== call.args.length) continue;
    const expanded = macro.expand(call);
    if (expanded !== undefined) return expanded;
  }
  return undefined;
}

/** The variable that a macro's argument declares; `undefined` after reporting that it is not a name. */
export function variableName(argument: CelExpression): string | undefined {
  return argument.kind === "ident" && !argument.name.startsWith(".") ? argument.name : undefined;
}

/** The positions of a comprehension's parts among a macro's arguments. */
interface ComprehensionShape {
  readonly name: string;
  readonly fold: Fold;
  readonly variables: 1 | 2;
  readonly filtered?: boolean;
}

/** A macro over a list or map: variables first, then a filter if it has one, then the body. */
export function comprehensionMacro({ name, fold, variables, filtered = false }: ComprehensionShape): Macro {
  return {
    name,
    style: "method",
    arity: variables + (filtered ? 2 : 1),
    expand({ target, args, offset, fail }) {
      if (target === undefined) return undefined;
      const names: string[] = [];
      for (const argument of args.slice(0, variables)) {
        const variable = variableName(argument);
        if (variable === undefined) return fail(argument.offset, "argument must be a simple name");
        if (variable === "__result__") {
          return fail(argument.offset, "iteration variable overwrites accumulator variable");
        }
        if (names.includes(variable)) return fail(argument.offset, `duplicate variable name: ${variable}`);
        names.push(variable);
      }
      const comprehension: Comprehension = {
        kind: "comprehension",
        fold,
        range: target,
        variables: names.length === 1 ? [names[0]!] : [names[0]!, names[1]!],
        body: args.at(-1)!,
        offset,
        ...(filtered ? { filter: args[variables]! } : {}),
      };
      return comprehension;
    },
  };
}
