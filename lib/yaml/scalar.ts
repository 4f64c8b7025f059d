import { goFloat } from "../json/mod.ts";

/** The value of a scalar. Integers are exact until they become JSON. */
export type Scalar =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "timestamp" | "str"; readonly value: string };

const words: ReadonlyMap<string, Scalar> = new Map([
  ...spelled({ type: "null" }, ["", "~", "null", "Null", "NULL"]),
  ...spelled({ type: "bool", value: true }, ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE"]),
  ...spelled({ type: "bool", value: true }, ["on", "On", "ON"]),
  ...spelled({ type: "bool", value: false }, ["n", "N", "no", "No", "NO", "false", "False", "FALSE"]),
  ...spelled({ type: "bool", value: false }, ["off", "Off", "OFF"]),
  ...spelled({ type: "float", value: NaN }, [".nan", ".NaN", ".NAN"]),
  ...spelled({ type: "float", value: Infinity }, [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"]),
  ...spelled({ type: "float", value: -Infinity }, ["-.inf", "-.Inf", "-.INF"]),
]);

const longestWord = Math.max(...[...words.keys()].map(({ length }) => length));

function spelled(scalar: Scalar, texts: readonly string[]): [string, Scalar][] {
  return texts.map((text) => [text, scalar]);
}

/** The version of YAML whose words are booleans: by 1.2, `on`, `yes` and `n` are texts. */
export type Booleans = "1.1" | "1.2";

/**
 * Returns the value of a plain scalar by the rules of Go's yaml.v2, which Kubernetes uses: YAML 1.1 without base 60,
 * with the number prefixes of Go, timestamps as text.
 *
 * ```ts
 * import { resolveScalar } from "./scalar.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(resolveScalar("on"), { type: "bool", value: true });
 * assert.deepEqual(resolveScalar("0o17"), { type: "int", value: 15n });
 * assert.deepEqual(resolveScalar("12:30"), { type: "str", value: "12:30" });
 * ```
 */
export function resolveScalar(text: string, booleans: Booleans = "1.1"): Scalar {
  // Most texts are longer than any word: they need no look-up.
  const word = text.length <= longestWord ? words.get(text) : undefined;
  if (word !== undefined) {
    const isText = booleans === "1.2" && word.type === "bool" && text.toLowerCase() !== String(word.value);
    return isText ? { type: "str", value: text } : word;
  }
  const first = text.charCodeAt(0);
  if (first === 0x2e) return asFloat(text.replaceAll("_", "")) ?? { type: "str", value: text };
  const numeric = first >= 0x30 && first <= 0x39 || first === 0x2b || first === 0x2d;
  if (!numeric) return { type: "str", value: text };
  if (isPlainInteger(text)) return { type: "int", value: BigInt(text) };
  if (isTimestamp(text)) return { type: "timestamp", value: text };
  const digits = text.replaceAll("_", "");
  return asInteger(digits) ?? asFloat(digits) ?? { type: "str", value: text };
}

/**
 * Whether a text is a decimal integer of at most 15 digits without a sign. Most numbers are, so they need no
 * regular expression.
 */
function isPlainInteger(text: string): boolean {
  const { length } = text;
  if (length > 15 || (length > 1 && text.charCodeAt(0) === 0x30)) return false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return length > 0;
}

const longest = 1000;

/** Reads an integer with Go's prefixes, from -2^63 to 2^64-1. */
function asInteger(text: string): Scalar | undefined {
  const parts = /^([-+]?)(?:(0)([0-7]+)|(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0|[1-9][0-9]*))$/.exec(
    text,
  );
  if (parts === null || text.length > longest) return undefined;
  const [, sign, octal, octalDigits, other] = parts;
  const magnitude = BigInt(octal === undefined ? other! : `0o${octalDigits}`);
  const value = sign === "-" ? -magnitude : magnitude;
  return value < -(2n ** 63n) || value >= 2n ** 64n ? undefined : { type: "int", value };
}

/** Reads a decimal number with fraction or exponent that is finite as a double. */
function asFloat(text: string): Scalar | undefined {
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}

const dateTime =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:([Tt ])([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

/**
 * Whether a text is a date, or a date with time. Such values stay text; the tag `!!timestamp` on any other text
 * is an error.
 */
function isTimestamp(text: string): boolean {
  const parts = text.charCodeAt(4) === 0x2d ? dateTime.exec(text) : null;
  if (parts === null) return false;
  const [, year, month, day, separator, hour, minute, second, zone] = parts;
  // With a T there must be a time zone, with a space there must be none.
  if (separator !== undefined && (separator === " ") !== (zone === undefined)) return false;
  const days = new Date(Date.UTC(2000 + Number(year) % 400, Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days &&
    Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60;
}

/**
 * Returns the value of a tagged scalar, or a message that says why it is invalid. Tags that YAML does not
 * define leave the text as it is.
 */
export function resolveTagged(tag: string, text: string): Scalar | string {
  if (tag === "binary") return decodeBinary(text);
  if (tag === "str" || !["bool", "int", "float", "null", "timestamp"].includes(tag)) {
    return { type: "str", value: text };
  }
  const scalar = resolveScalar(text);
  if (scalar.type === tag) return scalar;
  if (tag === "float" && scalar.type === "int") return { type: "float", value: Number(scalar.value) };
  return `cannot decode !!${scalar.type} \`${text}\` as a !!${tag}`;
}

function decodeBinary(text: string): Scalar | string {
  try {
    const bytes = Uint8Array.from(atob(strictBase64(text)), (unit) => unit.charCodeAt(0));
    return { type: "str", value: new TextDecoder().decode(bytes) };
  } catch {
    return "!!binary value contains invalid base64 data";
  }
}

/**
 * Checks base64 text as Go's decoder does: only line breaks are skipped, and padding is required. `atob`
 * accepts more.
 */
function strictBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, "");
  if (compact.length % 4 !== 0 || /\s/.test(compact)) throw new Error("not base64");
  return compact;
}

/** Returns the text of a scalar as a map key, or `undefined` for those that JSON cannot have as a key. */
export function keyText(scalar: Scalar): string | undefined {
  switch (scalar.type) {
    case "null":
      return undefined;
    case "int":
      return scalar.value >= 2n ** 63n ? undefined : String(scalar.value);
    case "float":
      return floatKey(scalar.value);
    default:
      return String(scalar.value);
  }
}

/** Kubernetes prints float keys with the digits of a 32-bit float. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return goFloat(shorter);
  }
  return goFloat(Number(single.toPrecision(9)));
}
