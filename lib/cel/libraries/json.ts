import { goJson, goJsonProblem, isTooDense, type Json, jsonSize, parseJsonText } from "../../json/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure, isCelFault, noSuchOverload } from "../fault.ts";
import { celToJson } from "../json.ts";
import { type CelType, dynType, opaqueType, stringType } from "../types/mod.ts";
import type { Value } from "../values/mod.ts";
import { withDoubles } from "./json_value.ts";
import { type Library, method, type Result } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";

const jsonType: CelType<NamespaceValue> = opaqueType("json.Json");

/** The most characters of a text: the API server stores no longer objects, and each number takes 40 bytes. */
const longest = 1_500_000;

/** The most bytes of a written text: the API server takes no longer objects. */
const longestWritten = 3 * 1024 * 1024;

function unmarshal(text: Value): Result {
  if (typeof text !== "string") return noSuchOverload("unmarshal");
  if (text.length > longest || isTooDense(text)) {
    return failure("json.unmarshal: the text would take too much memory");
  }
  let json: Json;
  try {
    json = parseJsonText(text);
  } catch {
    return failure(goJsonProblem(text));
  }
  return isFinite(json) ? withDoubles(json) : failure("invalid JSON: a number is too large for a double");
}

function isFinite(json: Json): boolean {
  if (typeof json === "number") return Number.isFinite(json);
  return typeof json !== "object" || json === null || Object.values(json).every(isFinite);
}

/** The text has up to six characters for each of a value, as in `\u003c`, so its size counts before it is made. */
function marshal(value: Value): Result {
  const json = celToJson(value);
  if (isCelFault(json)) return json;
  return jsonSize(json, longestWritten) > longestWritten
    ? failure("json.marshal: the text would take too much memory")
    : goJson(json);
}

/** JSON: `json.unmarshal(text)`, whose numbers are doubles, and `json.marshal(value)`, whose keys are sorted. */
export const jsonLibrary: Library = {
  name: "kyverno.json",
  constants: { json: { type: jsonType, value: new NamespaceValue(jsonType) } },
  functions: [
    {
      name: "unmarshal",
      overloads: [
        method({
          id: "unmarshal_string_dyn",
          takes: [jsonType, dynType],
          gives: dynType,
          effort: readingEffort(60, 1),
          call: (_, text) => unmarshal(text),
        }),
      ],
    },
    {
      name: "marshal",
      overloads: [
        method({
          id: "marshal_dyn_string",
          takes: [jsonType, dynType],
          gives: stringType,
          call: (_, value) => marshal(value),
        }),
      ],
    },
  ],
};
