import { Fault, goFloat } from "../../json/mod.ts";
import { parseYaml } from "../../yaml/mod.ts";
import { ofText } from "./of_text.ts";
import type { FunctionNotes, FunctionRecord } from "./record.ts";
import { unwritable } from "./unwritable.ts";

/** Kyverno's function that reads YAML. */
export const yamlTexts: readonly FunctionRecord[] = [
  ofText({
    name: "parse_yaml",
    returns: ["any"],
    steps: 400,
    // A character of YAML takes as long as three elements of a list, and more memory.
    cost: ([text]) => 5 * (text as string).length,
  }, (text) => {
    const value = parseYaml(text);
    if (value instanceof Fault) return value;
    const number = unwritable(value);
    return number === undefined ? value : new Fault(`json: unsupported value: ${goFloat(number)}`);
  }),
];

/** The notes of these functions. */
export const yamlTextNotes: FunctionNotes = {
  parse_yaml: {
    summary: "The value of the first document of a YAML text, as Kubernetes reads it.",
    examples: [{ expression: "parse_yaml('a: yes').a", result: true }],
  },
};
