/** The editor's suggestions: the fields of policies, and the functions of expressions. */
import { kyvernoFunctionNotes, kyvernoFunctions } from "../../../lib/jmespath/mod.ts";
import type { JsonObject } from "../../../lib/json/mod.ts";
import { policySchemas } from "../../../lib/documents/mod.ts";

/** A function of JMESPath, as it is suggested. */
export interface FunctionNote {
  readonly name: string;
  /** `replace(string, string, string, number) string`. */
  readonly signature: string;
  readonly summary: string;
  /** An expression that calls it. */
  readonly example: string;
}

/** JSON Schemas by kind of policy. */
export function schemas(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(policySchemas());
}

/** All functions of JMESPath by name. */
export function functionNotes(): FunctionNote[] {
  const notes = kyvernoFunctionNotes();
  return [...kyvernoFunctions().values()]
    .map(({ name, parameters, variadic, returns }) => ({
      name,
      signature: `${name}(${parameters.map(({ types }) => types.join("|")).join(", ")}${
        variadic ? ", ..." : ""
      }) ${returns.join("|")}`,
      summary: notes[name]!.summary,
      example: notes[name]!.examples[0]?.expression ?? "",
    }))
    .sort((left, right) => left.name < right.name ? -1 : 1);
}
