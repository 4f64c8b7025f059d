import {
  Fault,
  goJsonProblem,
  isTooDense,
  type Json,
  maxJsonDepth,
  nestsDeeperThan,
  parseJsonText,
} from "../../json/mod.ts";
import { decodeBase64, encodeBase64Text } from "../../kube/mod.ts";
import { decodeUtf8 } from "../go_utf8.ts";
import { maxText } from "../go_strings.ts";
import { perCharacter } from "../costs.ts";
import { functionFault, tooLarge } from "./fault.ts";
import { ofText } from "./of_text.ts";
import type { FunctionNotes, FunctionRecord } from "./record.ts";
import { unwritable } from "./unwritable.ts";

/** Kyverno's functions that encode and decode texts. */
export const encodings: readonly FunctionRecord[] = [
  ofText({
    name: "base64_decode",
    returns: ["string"],
    steps: 20,
    cost: perCharacter(1),
  }, (text) => {
    const bytes = decodeBase64(text);
    return bytes instanceof Fault ? bytes : decodeUtf8(bytes);
  }),
  ofText(
    {
      name: "base64_encode",
      returns: ["string"],
      steps: 10,
    },
    (text) => text.length > maxText / 4 ? tooLarge("base64_encode") : encodeBase64Text(text),
  ),
  ofText({
    name: "parse_json",
    returns: ["any"],
    steps: 16,
    cost: perCharacter(1),
  }, parseJson),
];

function parseJson(text: string): Json | Fault {
  if (nestsDeeperThan(maxJsonDepth, text)) return new Fault("exceeded max depth");
  if (isTooDense(text)) return functionFault("parse_json", "the text would take too much memory");
  let value: Json;
  try {
    value = parseJsonText(text);
  } catch {
    return new Fault(goJsonProblem(text));
  }
  // Only a large exponent or many digits make a number too large.
  const huge = /[eE]\+?[0-9]{3}|[0-9]{309}/.test(text) ? unwritable(value) : undefined;
  return huge === undefined
    ? value
    : new Fault("json: cannot unmarshal number into Go value of type float64");
}

/** The notes of these functions. */
export const encodingNotes: FunctionNotes = {
  base64_decode: {
    summary: "The text that base64 stands for.",
    examples: [{ expression: "base64_decode('SGVsbG8=')", result: "Hello" }],
  },
  base64_encode: {
    summary: "A text in base64.",
    examples: [{ expression: "base64_encode('Hello')", result: "SGVsbG8=" }],
  },
  parse_json: {
    summary: "The value that a JSON text stands for.",
    examples: [{ expression: "parse_json('{\"a\": [1]}').a", result: [1] }],
  },
};
