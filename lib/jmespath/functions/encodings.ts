import { type DigestAlgorithm, hexDigest } from "../../bytes/mod.ts";
import {
  Fault,
  goFloat,
  goJsonProblem,
  isList,
  isObject,
  type Json,
  maxJsonDepth,
  nestsDeeperThan,
} from "../../json/mod.ts";
import { decodeBase64, encodeBase64Text } from "../../kube/mod.ts";
import { parseYaml } from "../../yaml/mod.ts";
import { decodeUtf8 } from "../go_utf8.ts";
import { maxText } from "../go_strings.ts";
import { tooLarge } from "./fault.ts";
import { type Apply, type FunctionRecord, parameter, type PlainFunction } from "./record.ts";

type Described = Pick<FunctionRecord, "name" | "summary" | "examples" | "returns">;

function ofText(
  record: Described & Pick<PlainFunction, "cost">,
  compute: (text: string) => ReturnType<Apply>,
): FunctionRecord {
  return {
    kind: "plain",
    parameters: [parameter("text", "string")],
    apply: ([text]) => compute(text as string),
    ...record,
  };
}

function digest(algorithm: DigestAlgorithm): (text: string) => string {
  return (text) => hexDigest(algorithm, text);
}

/** Kyverno's functions that encode, decode and digest texts. */
export const encodings: readonly FunctionRecord[] = [
  ofText({
    name: "base64_decode",
    returns: ["string"],
    summary: "The text that base64 stands for.",
    examples: [{ expression: "base64_decode('SGVsbG8=')", result: "Hello" }],
  }, (text) => {
    const bytes = decodeBase64(text);
    return bytes instanceof Fault ? bytes : decodeUtf8(bytes);
  }),
  ofText(
    {
      name: "base64_encode",
      returns: ["string"],
      summary: "A text in base64.",
      examples: [{ expression: "base64_encode('Hello')", result: "SGVsbG8=" }],
    },
    (text) => text.length > maxText / 4 ? tooLarge("base64_encode") : encodeBase64Text(text),
  ),
  ofText({
    name: "parse_json",
    returns: ["any"],
    summary: "The value that a JSON text stands for.",
    examples: [{ expression: "parse_json('{\"a\": [1]}').a", result: [1] }],
  }, parseJson),
  ofText({
    name: "parse_yaml",
    returns: ["any"],
    // A character of YAML takes as long as three elements of a list.
    cost: ([text]) => 3 * (text as string).length,
    summary: "The value of the first document of a YAML text, as Kubernetes reads it.",
    examples: [{ expression: "parse_yaml('a: yes').a", result: true }],
  }, (text) => {
    const value = parseYaml(text);
    if (value instanceof Fault) return value;
    const number = unwritable(value);
    return number === undefined ? value : new Fault(`json: unsupported value: ${goFloat(number)}`);
  }),
  ofText({
    name: "sha256",
    returns: ["string"],
    summary: "The SHA-256 digest of a text in hexadecimal.",
    examples: [{
      expression: "sha256('alertmanager')",
      result: "11e295cda8ce492b522a7ba16a3a73db96012f00acd8f129d5c2a3012c3408d3",
    }],
  }, digest("sha256")),
  ofText({
    name: "sha1",
    returns: ["string"],
    summary: "The SHA-1 digest of a text in hexadecimal.",
    examples: [{ expression: "sha1('')", result: "da39a3ee5e6b4b0d3255bfef95601890afd80709" }],
  }, digest("sha1")),
  ofText({
    name: "md5",
    returns: ["string"],
    summary: "The MD5 digest of a text in hexadecimal.",
    examples: [{ expression: "md5('')", result: "d41d8cd98f00b204e9800998ecf8427e" }],
  }, digest("md5")),
];

function parseJson(text: string): Json | Fault {
  if (nestsDeeperThan(maxJsonDepth, text)) return new Fault("exceeded max depth");
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return new Fault(goJsonProblem(text));
  }
  // Only a large exponent makes a number too large.
  const huge = /[eE]\+?[0-9]{3}/.test(text) ? unwritable(value) : undefined;
  return huge === undefined
    ? value
    : new Fault("json: cannot unmarshal number into Go value of type float64");
}

/** A number in a value that JSON has no way to write. */
function unwritable(value: Json): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : value;
  if (!isList(value) && !isObject(value)) return undefined;
  for (const inner of Object.values(value)) {
    const number = unwritable(inner);
    if (number !== undefined) return number;
  }
  return undefined;
}
