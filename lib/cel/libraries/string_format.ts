import { hexOf } from "../../bytes/mod.ts";
import { clipped, goFloat, sortedKeys, withoutEnding } from "../../json/mod.ts";
import { CelFault, failure, isCelFault } from "../fault.ts";
import { dynType, listType, stringType } from "../types/mod.ts";
import {
  costSize,
  Duration,
  floatValue,
  formatDuration,
  formatTimestamp,
  isFloat,
  isInt,
  isListValue,
  isMapValue,
  mapEntries,
  Timestamp,
  traversalCost,
  typeNameOf,
  TypeValue,
  Uint,
  type Value,
} from "../values/mod.ts";
import { work } from "../work.ts";
import { maxText } from "./arithmetic.ts";
import { goQuote } from "./go_quote.ts";
import { type ArgumentMistake, type CallArgument, type FunctionDeclaration, method } from "./library.ts";
import { fixedPoint, scientific } from "./number_format.ts";

/**
 * The two variants of `format`: `localized` is Kubernetes' variant, which writes numbers as English text and nested
 * texts in quotes; `plain` is the variant of the specification.
 */
export type FormatStyle = "localized" | "plain";

/** One `%…` of a format: its letter and the characters between. */
interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/** A clause that is incomplete or unknown ends the format. */
type Piece = string | Clause | CelFault;

/** Splits a format into text and clauses, one after the other: what follows an error is not read. */
function* piecesOf(format: string): Generator<Piece> {
  let from = 0;
  for (let index = format.indexOf("%"); index >= 0; index = format.indexOf("%", from)) {
    if (index > from) yield format.slice(from, index);
    index++;
    if (format[index] === "%") {
      yield "%";
      from = index + 1;
      continue;
    }
    if (index >= format.length) return yield failure("unexpected end of string");
    let precision: number | undefined;
    if (format[index] === ".") {
      const digits = /^\d*/.exec(format.slice(index + 1))![0];
      index += digits.length + 1;
      if (index >= format.length) return yield badClause("could not find end of precision specifier");
      precision = Number(digits);
      if (digits === "" || precision > 1000) {
        return yield badClause(`precision "${clipped(digits, 100)}" is not valid`);
      }
    }
    const verb = format[index]!;
    if (!"sdfebxXo".includes(verb)) {
      return yield failure(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
    }
    yield { verb, precision };
    from = index + 1;
  }
  if (from < format.length) yield format.slice(from);
}

function badClause(what: string): CelFault {
  return failure(`could not parse formatting clause: error while parsing precision: ${what}`);
}

const wanted: Readonly<Record<string, string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
};

function unfit(verb: string, type: string): string {
  return `${wanted[verb]}, was given ${type}`;
}

/** Formats a value for a clause; `undefined` when the clause does not accept values of this kind. */
function write(value: Value, { verb, precision = 6 }: Clause, style: FormatStyle): string | undefined {
  const whole = isInt(value) ? BigInt(value) : value instanceof Uint ? value.value : undefined;
  switch (verb) {
    case "s":
      return describe(value, style);
    case "d":
      if (whole === undefined && style === "plain" && isFloat(value)) return plainNumber(floatValue(value));
      return whole?.toString();
    case "f":
    case "e": {
      const number = isFloat(value)
        ? floatValue(value)
        : style === "plain"
        ? numberOf(whole)
        : infinite(value);
      if (number === undefined) return undefined;
      return verb === "f" ? fixedPoint(number, precision, style) : scientific(number, precision, style);
    }
    case "b":
      return typeof value === "boolean" ? (value ? "1" : "0") : whole?.toString(2);
    case "o":
      return whole?.toString(8);
    default: {
      const hex = typeof value === "string"
        ? hexOf(new TextEncoder().encode(value))
        : value instanceof Uint8Array
        ? hexOf(value)
        : whole?.toString(16);
      return verb === "X" ? hex?.toUpperCase() : hex;
    }
  }
}

function numberOf(whole: bigint | undefined): number | undefined {
  return whole === undefined ? undefined : Number(whole);
}

/** Kubernetes' variant accepts the names of numbers that no literal can express. */
function infinite(value: Value): number | undefined {
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const text = String(value);
  if (!text.includes("e")) return text;
  return Math.abs(value) < 1 ? withoutEnding(value.toFixed(100), "0") : BigInt(value).toString();
}

/** A value in the form of `%s`; `undefined` when it has none. */
function describe(value: Value, style: FormatStyle): string | undefined {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (typeof value === "boolean" || isInt(value)) return String(value);
  if (value instanceof Uint) return String(value.value);
  if (isFloat(value)) return style === "plain" ? plainNumber(floatValue(value)) : goFloat(floatValue(value));
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Timestamp) {
    return formatTimestamp(style === "plain" ? new Timestamp(value.seconds, value.nanos) : value);
  }
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (isListValue(value)) {
    const items = value.map((item) => describeNested(item, style));
    return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
  }
  if (!isMapValue(value)) return undefined;
  const entries: { [key: string]: string } = Object.create(null);
  for (const [key, item] of mapEntries(value)) {
    work(600);
    const name = describeNested(key, style), text = describeNested(item, style);
    if (name === undefined || text === undefined) return undefined;
    entries[name] = text;
  }
  const separator = style === "plain" ? ": " : ":";
  return `{${sortedKeys(entries).map((name) => `${name}${separator}${entries[name]}`).join(", ")}}`;
}

/** A value inside a list or map; the `localized` style writes it as a literal. */
function describeNested(value: Value, style: FormatStyle): string | undefined {
  work(300);
  if (style === "plain") return describe(value, style);
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(new TextDecoder().decode(value))}`;
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`;
  if (isFloat(value)) {
    const number = floatValue(value);
    return Number.isFinite(number) ? fixedPoint(number, 6, "plain") : `"${goFloat(number)}"`;
  }
  return describe(value, style);
}

function format(text: string, args: readonly Value[], style: FormatStyle): string | CelFault {
  const parts: string[] = [];
  let next = 0, size = 0;
  for (const piece of piecesOf(text)) {
    if (typeof piece === "string") {
      parts.push(piece);
      continue;
    }
    const value = args[next];
    if (value === undefined) return new CelFault("range", `index ${next} out of range`);
    if (isCelFault(piece)) return piece;
    next++;
    const written = write(value, piece, style);
    if (written === undefined) {
      return failure(`error during formatting: ${unfit(piece.verb, typeNameOf(value))}`);
    }
    size += written.length;
    if (size > maxText) return failure("the text is too long");
    parts.push(written);
  }
  return parts.join("");
}

/** The types that a clause accepts, by the kinds that are fixed at load. */
const kinds: Readonly<Record<FormatStyle, Readonly<Record<string, readonly string[]>>>> = {
  localized: {
    d: ["int", "uint"],
    f: ["double", "string"],
    e: ["double", "string"],
    b: ["int", "uint", "bool"],
    x: ["int", "uint", "string", "bytes"],
    X: ["int", "uint", "string", "bytes"],
    o: ["int", "uint"],
  },
  plain: {
    d: ["int", "uint", "double"],
    f: ["int", "uint", "double"],
    e: ["int", "uint", "double"],
    b: ["int", "uint", "bool"],
    x: ["int", "uint", "string", "bytes"],
    X: ["int", "uint", "string", "bytes"],
    o: ["int", "uint"],
  },
};
const printable = ["null", "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const described = [...printable, "list", "map", "type"];

/** Compares the clauses of a constant format with the arguments, when they are written as a list. */
function checkFormat([text, list]: readonly CallArgument[], style: FormatStyle): ArgumentMistake | undefined {
  if (typeof text?.value !== "string" || list?.elements === undefined) return undefined;
  const clauses = [...piecesOf(text.value)].filter((piece) => typeof piece !== "string");
  for (const [index, clause] of clauses.entries()) {
    const argument = list.elements[index];
    if (argument === undefined) return { message: `index ${index} out of range` };
    if (isCelFault(clause)) return { message: clause.message };
    const { verb } = clause;
    const { kind, name } = argument.type;
    if (kind !== "dyn" && kind !== "error" && !(kinds[style][verb] ?? described).includes(kind)) {
      return { offset: argument.offset, message: `error during formatting: ${unfit(verb, name)}` };
    }
  }
  if (list.elements.length <= clauses.length) return undefined;
  const [expected, given] = [clauses.length, list.elements.length];
  return { message: `too many arguments supplied to string.format (expected ${expected}, got ${given})` };
}

/** `text.format([…])` in one of its variants. */
export function formatFunction(style: FormatStyle): FunctionDeclaration {
  return {
    name: "format",
    overloads: [
      method({
        id: "string_format",
        takes: [stringType, listType(dynType)],
        gives: stringType,
        call: (text, args) => format(text, args, style),
        cost: ([text]) => Math.ceil(costSize(text) * 0.1),
        effort: ([text, args]) => 50 * costSize(text) + 1_000 * traversalCost(args),
        check: (args) => checkFormat(args, style),
      }),
    ],
  };
}
