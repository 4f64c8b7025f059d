import type { FunctionDeclaration, Overload } from "../libraries/library.ts";
import { type CelType, dynType, sameType, type Substitution } from "../types/mod.ts";

/** The overloads that may apply, and the type of the call. */
export interface Resolution {
  readonly overloads: readonly Overload[];
  readonly type: CelType;
}

/** Finds the overloads of a function that take arguments of these types; `undefined` when none does. */
export function resolveOverloads(
  { overloads }: Pick<FunctionDeclaration, "overloads">,
  call: { readonly style: Overload["style"]; readonly types: readonly CelType[] },
  substitution: Substitution,
): Resolution | undefined {
  const found: Overload[] = [];
  let type: CelType | undefined;
  for (const overload of overloads) {
    if (overload.style !== call.style || overload.parameters.length !== call.types.length) continue;
    const fresh = renamed(overload, substitution);
    if (!substitution.assign(call.types, fresh.parameters)) continue;
    found.push(overload);
    const result = substitution.apply(fresh.result);
    // When overloads have different result types, the type is decided at run time.
    type = type === undefined || sameType(type, result) || type.kind === "dyn" ? type ?? result : dynType;
  }
  return type === undefined ? undefined : { overloads: found, type };
}

/** The signature with fresh type variables, so that two calls do not share them. */
function renamed(
  { parameters, result }: Overload,
  substitution: Substitution,
): Pick<Overload, "parameters" | "result"> {
  const names = new Map<string, CelType>();
  const rename = (type: CelType): CelType => {
    if (type.kind === "parameter") {
      const variable = names.get(type.name) ?? substitution.fresh();
      names.set(type.name, variable);
      return variable;
    }
    return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(rename) };
  };
  return { parameters: parameters.map(rename), result: rename(result) };
}
