import { clipped, isList, type Json } from "../../json/mod.ts";
import { boundedJson } from "./bounded_json.ts";
import { toLower } from "../go_strings.ts";
import { functionFault, tooLarge } from "./fault.ts";
import { stepsOfWriting } from "../steps.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return typeof value;
}

/** The functions that name a value's type or convert values. */
export const types: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "type",
    parameters: [parameter("value", "any")],
    returns: ["string"],
    integerProblem: "unknown type",
    apply: ([value]) => typeOf(value!),
  },
  {
    kind: "plain",
    name: "to_string",
    parameters: [parameter("value", "any")],
    returns: ["string"],
    cost: ([value], limit) => stepsOfWriting(value!, limit),
    apply: ([value]) => typeof value === "string" ? value : boundedJson(value!) ?? tooLarge("to_string"),
  },
  {
    kind: "plain",
    name: "to_boolean",
    parameters: [parameter("text", "string")],
    returns: ["boolean"],
    apply: ([text]) => {
      const word = toLower((text as string).slice(0, 6));
      if (word === "true" || word === "false") return word === "true";
      return functionFault(
        "to_boolean",
        `lowercase argument must be 'true' or 'false' (provided: '${clipped(text as string, 1_000)}')`,
      );
    },
  },
];

/** The notes of these functions. */
export const typeNotes: FunctionNotes = {
  type: {
    summary: "The value's type: number, string, boolean, array, object or null.",
    examples: [{ expression: "type(@)", input: [1], result: "array" }],
  },
  to_string: {
    summary: "A string as it is; anything else as compact JSON.",
    examples: [
      { expression: "to_string('a')", result: "a" },
      { expression: "to_string(@)", input: { b: "<", a: [1] }, result: '{"a":[1],"b":"\\u003c"}' },
    ],
  },
  to_boolean: {
    summary: "true or false from its text, in any case.",
    examples: [{ expression: "to_boolean('True')", result: true }],
  },
};
