import { TextSearch } from "../../json/mod.ts";
import { CelFault, failure } from "../fault.ts";
import { intType, listType, stringType } from "../types/mod.ts";
import { codePoints, costSize, type Int, type Value } from "../values/mod.ts";
import { MAX_TEXT } from "./arithmetic.ts";
import { traversing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload, type Result } from "./library.ts";
import { escapes, formatFunction } from "./string_format.ts";

const texts = listType(stringType);

/** The cost of reading a text once: a tenth of its size in Kubernetes. */
function traversal([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 0.1);
}

/** The cost of reading the text and writing the result. */
function rewriting([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 2 * 0.1);
}

function outOfRange(index: Int): CelFault {
  return new CelFault("index", `index out of range: ${index}`);
}

/** Whether every code point is one UTF-16 unit, so that plain string operations count correctly. */
function isPlain(text: string): boolean {
  return codePoints(text) === text.length;
}

function charAt(text: string, at: Int): Result {
  const points = isPlain(text) ? text : [...text];
  const index = Number(at);
  if (index < 0 || index > points.length) return outOfRange(at);
  return points[index] ?? "";
}

function indexOf(text: string, part: string, from: Int): Result {
  if (part === "") return from;
  if (from < 0) return outOfRange(from);
  const search = new TextSearch(part);
  if (isPlain(text)) return Number(from) >= text.length ? -1 : search.positionIn(text, Number(from));
  const points = [...text];
  const start = points.slice(0, Number(from)).join("").length;
  const found = search.positionIn(text, start);
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

function lastIndexOf(text: string, part: string, from?: Int): Result {
  const size = codePoints(text);
  if (part === "") return from ?? size;
  if (from !== undefined && from < 0) return outOfRange(from);
  if (from !== undefined && from >= size) return -1;
  const points = isPlain(text) ? text : [...text];
  const start = from === undefined ? text.length : [...points.slice(0, Number(from))].join("").length;
  const found = new TextSearch(part).lastPositionIn(text, start);
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

function substring(text: string, start: Int, end?: Int): Result {
  const points = isPlain(text) ? text : [...text];
  const last = end ?? points.length;
  if (start > last) {
    if (end === undefined) return outOfRange(start);
    return new CelFault("range", `invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > points.length) return outOfRange(start);
  if (last < 0 || last > points.length) return outOfRange(last);
  const slice = points.slice(Number(start), Number(last));
  return typeof slice === "string" ? slice : slice.join("");
}

function replace(text: string, [old, by]: readonly [string, string], limit: Int): Result {
  if ((text.length / Math.max(1, old.length) + 1) * by.length > MAX_TEXT) {
    return failure("the text is too long");
  }
  const pieces = old === "" ? [...text] : new TextSearch(old).split(text);
  if (limit < 0 && old !== "") return pieces.join(by);
  // An empty text is found before every code point and at the end.
  const positions = old === "" ? pieces.length + 1 : pieces.length - 1;
  const count = limit < 0 ? positions : Math.min(Number(limit), positions);
  if (old !== "") return [pieces.slice(0, count + 1).join(by), ...pieces.slice(count + 1)].join(old);
  const spread = pieces.map((piece, index) => index < count ? by + piece : piece).join("");
  return count === positions ? spread + by : spread;
}

function split(text: string, separator: string, limit: Int): string[] {
  if (limit === 0) return [];
  const pieces = separator === "" ? [...text] : new TextSearch(separator).split(text);
  const count = Number(limit);
  if (count < 0 || pieces.length <= count) return pieces;
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)];
}

function join(items: readonly Value[], separator: string): Result {
  for (const item of items) {
    if (typeof item !== "string") return failure(`join: invalid input: ${String(item)}`);
  }
  return separator.length * items.length > MAX_TEXT ? failure("the text is too long") : items.join(separator);
}

/** The text in double quotes, as a literal. */
export function quote(text: string): string {
  const units = Array.from(
    text.toWellFormed(),
    (unit) => Object.hasOwn(escapes, unit) ? escapes[unit]! : unit,
  );
  return `"${units.join("")}"`;
}

/** Unicode white space as Go defines it. */
const spaces = new Set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000");
for (let unit = 0x2000; unit <= 0x200a; unit++) spaces.add(String.fromCharCode(unit));

function trim(text: string): string {
  let start = 0, end = text.length;
  while (start < end && spaces.has(text[start]!)) start++;
  while (end > start && spaces.has(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const sizes = { cost: traversal, gives: stringType } as const;
const found = { gives: intType, cost: traversing } as const;

/**
 * Searches from an index. Kubernetes' version finds nothing beyond the end; the specification refuses such an index.
 */
function searches(beyond: "finds nothing" | "is refused"): readonly FunctionDeclaration[] {
  const within = (text: string, from: Int): boolean => beyond === "finds nothing" || from <= codePoints(text);
  return [
    {
      name: "indexOf",
      overloads: [
        method({
          id: "string_index_of_string",
          takes: [stringType, stringType],
          call: (text, part) => indexOf(text, part, 0),
          ...found,
        }),
        method({
          id: "string_index_of_string_int",
          takes: [stringType, stringType, intType],
          call: (text, part, from) => within(text, from) ? indexOf(text, part, from) : outOfRange(from),
          ...found,
        }),
      ],
    },
    {
      name: "lastIndexOf",
      overloads: [
        method({
          id: "string_last_index_of_string",
          takes: [stringType, stringType],
          call: (text, part) => lastIndexOf(text, part),
          ...found,
        }),
        method({
          id: "string_last_index_of_string_int",
          takes: [stringType, stringType, intType],
          call: (text, part, from) => within(text, from) ? lastIndexOf(text, part, from) : outOfRange(from),
          ...found,
        }),
      ],
    },
  ];
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "charAt",
    overloads: [
      method({ id: "string_char_at_int", takes: [stringType, intType], gives: stringType, call: charAt }),
    ],
  },
  {
    name: "lowerAscii",
    overloads: [
      method({
        id: "string_lower_ascii",
        takes: [stringType],
        call: (text) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase()),
        ...sizes,
      }),
    ],
  },
  {
    name: "upperAscii",
    overloads: [
      method({
        id: "string_upper_ascii",
        takes: [stringType],
        call: (text) => text.replace(/[a-z]+/g, (run) => run.toUpperCase()),
        ...sizes,
      }),
    ],
  },
  { name: "trim", overloads: [method({ id: "string_trim", takes: [stringType], call: trim, ...sizes })] },
  {
    name: "replace",
    overloads: [
      method({
        id: "string_replace_string_string",
        takes: [stringType, stringType, stringType],
        gives: stringType,
        call: (text, old, by) => replace(text, [old, by], -1),
        cost: rewriting,
      }),
      method({
        id: "string_replace_string_string_int",
        takes: [stringType, stringType, stringType, intType],
        gives: stringType,
        call: (text, old, by, limit) => replace(text, [old, by], limit),
        cost: rewriting,
      }),
    ],
  },
  {
    name: "split",
    overloads: [
      method({
        id: "string_split_string",
        takes: [stringType, stringType],
        gives: texts,
        call: (text, separator) => split(text, separator, -1),
        cost: rewriting,
      }),
      method({
        id: "string_split_string_int",
        takes: [stringType, stringType, intType],
        gives: texts,
        call: split,
        cost: rewriting,
      }),
    ],
  },
  {
    name: "substring",
    overloads: [
      method({
        id: "string_substring_int",
        takes: [stringType, intType],
        call: (text, start) => substring(text, start),
        ...sizes,
      }),
      method({
        id: "string_substring_int_int",
        takes: [stringType, intType, intType],
        call: substring,
        ...sizes,
      }),
    ],
  },
  {
    name: "join",
    overloads: [
      method({
        id: "list_join",
        takes: [texts],
        gives: stringType,
        call: (items) => join(items, ""),
        cost: (_, result) => Math.ceil(costSize(result) * 2 * 0.1),
      }),
      method({
        id: "list_join_string",
        takes: [texts, stringType],
        gives: stringType,
        call: join,
        cost: (_, result) => Math.ceil(costSize(result) * 2 * 0.1),
      }),
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      overload({ id: "strings_quote", takes: [stringType], gives: stringType, call: quote, cost: traversal }),
    ],
  },
];

/** The functions on text of Kubernetes, with its variant of `format`. */
export const stringsLibrary: Library = {
  name: "strings",
  functions: [...functions, ...searches("finds nothing"), formatFunction("localized")],
};

/** The functions on text of the current specification: with `reverse`, and `format` without a locale. */
export const latestStringsLibrary: Library = {
  name: "strings",
  functions: [
    ...functions,
    ...searches("is refused"),
    formatFunction("plain"),
    {
      name: "reverse",
      overloads: [
        method({
          id: "string_reverse",
          takes: [stringType],
          gives: stringType,
          call: (text) => [...text].reverse().join(""),
        }),
      ],
    },
  ],
};
