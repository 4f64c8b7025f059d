import { goFloat, quoted } from "../../json/mod.ts";
import { readingEffort } from "../effort.ts";
import { CelFault, failure } from "../fault.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeParameter,
  typeType,
  uintType,
} from "../types/mod.ts";
import {
  costSize,
  Double,
  type Duration,
  type Float,
  floatValue,
  formatDuration,
  formatTimestamp,
  type Int,
  intOverflow,
  isRfc3339,
  parseDuration,
  parseTimestamp,
  type Timestamp,
  toFloat,
  toInt,
  toTimestamp,
  toUint,
  typeNameOf,
  TypeValue,
  uintOverflow,
  type Value,
  zerosBefore,
} from "../values/mod.ts";
import { type FunctionDeclaration, type Overload, overload, type Result } from "./library.ts";

const a = typeParameter("A");

/** A conversion to one type: `int(double)`. With a constant argument it is computed at load. */
function conversion<T extends Value>(
  id: string,
  [takes, gives]: readonly [CelType<T>, CelType],
  call: (value: T) => Result,
): Overload {
  return overload({ id, takes: [takes], gives, call: call as (value: Value) => Result, folds: true });
}

function impossible(from: string, to: string): CelFault {
  return failure(`type conversion error from '${from}' to '${to}'`);
}

function floatToInt(value: Float): Result {
  const number = floatValue(value);
  // The bounds of int64 have no exact double, so cel-go refuses the doubles of the bounds.
  if (!Number.isFinite(number) || number <= -(2 ** 63) || number >= 2 ** 63) return intOverflow();
  return toInt(BigInt(Math.trunc(number)));
}

function floatToUint(value: Float): Result {
  const number = floatValue(value);
  if (!Number.isFinite(number) || number < 0 || number >= 2 ** 64) return uintOverflow();
  return toUint(BigInt(Math.trunc(number)));
}

/** Parses digits, with any number of zeros before them; `undefined` for another text and for more than 20 digits. */
function parseDigits(text: string): bigint | undefined {
  const from = zerosBefore(text, text.length - 1);
  return text.length - from <= 20 && /^\d+$/.test(text.slice(from)) ? BigInt(text.slice(from)) : undefined;
}

function textToInt(text: string): Result {
  const isSigned = text.startsWith("-") || text.startsWith("+");
  const size = parseDigits(isSigned ? text.slice(1) : text);
  if (size === undefined) return impossible("string", "int");
  const value = toInt(text.startsWith("-") ? -size : size);
  return value instanceof CelFault ? impossible("string", "int") : value;
}

function textToUint(text: string): Result {
  const size = parseDigits(text), value = size === undefined ? impossible("string", "uint") : toUint(size);
  return value instanceof CelFault ? impossible("string", "uint") : value;
}

const decimal = /^[+-]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^([+-]?)0[xX]_?([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d{1,5})$/;

/** Parses a double as Go does, with hexadecimal numbers and underscores between digits. */
function textToDouble(text: string): Result {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) {
    return named[2]!.toLowerCase() === "nan" ? NaN : named[1] === "-" ? -Infinity : Infinity;
  }
  const hex = hexadecimal.exec(text);
  const value = hex === null
    ? decimal.test(text) ? Number(text.replaceAll("_", "")) : NaN
    : fromHexadecimal(hex);
  return Number.isFinite(value) ? toFloat(value) : impossible("string", "double");
}

function fromHexadecimal([, sign, whole, fraction = "", exponent]: RegExpExecArray): number {
  if ((whole === "" && fraction === "") || whole!.length + fraction.length > 300) return NaN;
  const digits = Number(BigInt(`0x0${whole}${fraction}`));
  return (sign === "-" ? -1 : 1) * digits * 2 ** (Number(exponent) - 4 * fraction.length);
}

const truths = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const lies = new Set(["0", "f", "F", "false", "FALSE", "False"]);

function textToBool(text: string): Result {
  return truths.has(text) ? true : lies.has(text) ? false : impossible("string", "bool");
}

function bytesToText(bytes: Uint8Array): Result {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function secondsToTimestamp(seconds: Int): Result {
  return toTimestamp(BigInt(seconds) * 1_000_000_000n);
}

function textToTimestamp(text: string): Result {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  if (!isRfc3339(text)) return failure(`invalid RFC 3339 timestamp ${quoted(text)}`);
  return impossible("string", "google.protobuf.Timestamp");
}

/** Reports a constant text that cannot be converted. */
function constantText(kind: string, parses: (text: string) => unknown): NonNullable<Overload["check"]> {
  return ([text]) =>
    typeof text?.value === "string" && parses(text.value) === undefined
      ? { offset: text.offset, message: `invalid ${kind} argument` }
      : undefined;
}

function traversal([value]: readonly Result[]): number {
  return Math.ceil(costSize(value) * 0.1);
}

function same(value: Value): Value {
  return value;
}

/** The conversions between types, `dyn` and `type`. */
export const conversions: readonly FunctionDeclaration[] = [
  {
    name: "bool",
    overloads: [
      conversion("bool_to_bool", [boolType, boolType], same),
      conversion("string_to_bool", [stringType, boolType], textToBool),
    ],
  },
  {
    name: "bytes",
    overloads: [
      conversion("bytes_to_bytes", [bytesType, bytesType], same),
      {
        ...conversion("string_to_bytes", [stringType, bytesType], (text) => new TextEncoder().encode(text)),
        cost: traversal,
      },
    ],
  },
  {
    name: "double",
    overloads: [
      conversion("double_to_double", [doubleType, doubleType], same),
      conversion("int64_to_double", [intType, doubleType], (value) => new Double(Number(value))),
      conversion("string_to_double", [stringType, doubleType], textToDouble),
      conversion("uint64_to_double", [uintType, doubleType], ({ value }) => new Double(Number(value))),
    ],
  },
  {
    name: "duration",
    overloads: [
      conversion("duration_to_duration", [durationType, durationType], same),
      {
        ...conversion(
          "string_to_duration",
          [stringType, durationType],
          (text) => parseDuration(text) ?? impossible("string", "google.protobuf.Duration"),
        ),
        effort: readingEffort(100),
        check: constantText("duration", parseDuration),
      },
    ],
  },
  { name: "dyn", overloads: [conversion("to_dyn", [a, dynType], same)] },
  {
    name: "int",
    overloads: [
      conversion("int64_to_int64", [intType, intType], same),
      conversion("double_to_int64", [doubleType, intType], floatToInt),
      conversion("duration_to_int64", [durationType, intType], ({ nanos }) => toInt(nanos)),
      conversion("string_to_int64", [stringType, intType], textToInt),
      conversion("timestamp_to_int64", [timestampType, intType], ({ seconds }) => seconds),
      conversion("uint64_to_int64", [uintType, intType], ({ value }) => toInt(value)),
    ],
  },
  {
    name: "string",
    overloads: [
      conversion("string_to_string", [stringType, stringType], same),
      conversion("bool_to_string", [boolType, stringType], String),
      { ...conversion("bytes_to_string", [bytesType, stringType], bytesToText), cost: traversal },
      conversion("double_to_string", [doubleType, stringType], (value) => goFloat(floatValue(value))),
      conversion(
        "duration_to_string",
        [durationType, stringType],
        (value: Duration) => formatDuration(value),
      ),
      conversion("int64_to_string", [intType, stringType], String),
      conversion(
        "timestamp_to_string",
        [timestampType, stringType],
        (value: Timestamp) => formatTimestamp(value),
      ),
      conversion("uint64_to_string", [uintType, stringType], ({ value }) => String(value)),
    ],
  },
  {
    name: "timestamp",
    overloads: [
      conversion("timestamp_to_timestamp", [timestampType, timestampType], same),
      conversion("int64_to_timestamp", [intType, timestampType], secondsToTimestamp),
      {
        ...conversion(
          "string_to_timestamp",
          [stringType, timestampType],
          textToTimestamp,
        ),
        check: constantText("timestamp", parseTimestamp),
      },
    ],
  },
  {
    name: "type",
    overloads: [conversion("type", [a, typeType(a)], (value) => new TypeValue(typeNameOf(value)))],
  },
  {
    name: "uint",
    overloads: [
      conversion("uint64_to_uint64", [uintType, uintType], same),
      conversion("double_to_uint64", [doubleType, uintType], floatToUint),
      conversion("int64_to_uint64", [intType, uintType], (value) => toUint(BigInt(value))),
      conversion("string_to_uint64", [stringType, uintType], textToUint),
    ],
  },
];
