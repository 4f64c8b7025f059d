import { regexesBuilt } from "./regex.ts";
import { expressionsParsed } from "./syntax/parse.ts";

/** The numbers of expressions and regular expressions that this process has compiled. */
export interface Compilations {
  readonly expressions: number;
  readonly regexes: number;
}

/** The counts so far; a test compares them before and after an evaluation to prove that it compiles nothing. */
export function compilations(): Compilations {
  return { expressions: expressionsParsed(), regexes: regexesBuilt() };
}
