import { Fault, type Json } from "../../json/mod.ts";
import type { Environment } from "../plan/value.ts";
import type { Bindings } from "./bindings.ts";
import type { CommunityTable } from "./functions/record.ts";
import { parse } from "./parser.ts";
import { plan } from "./plan.ts";

/** What an expression of the community dialect sees besides the value that it is applied to. */
export interface Surroundings {
  readonly bindings: Bindings;
  readonly environment: Environment;
}

/** A compiled expression: applied to a value, it answers with a value or a fault. */
export type CommunityExpression = (value: Json, surroundings: Surroundings) => Json | Fault;

/** Compiles expressions with one table of functions. */
export function communityCompiler(functions: CommunityTable): (text: string) => CommunityExpression | Fault {
  return (text) => {
    const expression = parse(text);
    if (expression instanceof Fault) return expression;
    const evaluate = plan(expression, functions);
    return (value, { bindings, environment }) => evaluate(value, { root: value, bindings, environment });
  };
}
