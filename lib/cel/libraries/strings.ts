import { readingEffort, searchingEffort } from "../effort.ts";
import { intType, listType, stringType } from "../types/mod.ts";
import { codePoints, costSize, type Int } from "../values/mod.ts";
import { traversing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload, type Result } from "./library.ts";
import { formatFunction } from "./string_format.ts";
import {
  charAt,
  inAsciiCase,
  indexOf,
  join,
  lastIndexOf,
  outOfRange,
  quote,
  replace,
  split,
  substring,
  trim,
} from "./string_operations.ts";

const texts = listType(stringType);

/** The cost of reading a text once: a tenth of its size in Kubernetes. */
function traversal([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 0.1);
}

/** The cost of reading the text and writing the result. */
function rewriting([text]: readonly Result[]): number {
  return Math.ceil(costSize(text) * 2 * 0.1);
}

/** The effort of reading the elements of a list, of which one may not be a text. Empty texts cost nothing. */
function joiningEffort([items]: readonly Result[]): number {
  return 15 * costSize(items);
}

const sizes = { cost: traversal, gives: stringType } as const;
const found = { gives: intType, cost: traversing, effort: searchingEffort } as const;

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
        call: (text) => inAsciiCase(text, "lower"),
        effort: readingEffort(10),
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
        call: (text) => inAsciiCase(text, "upper"),
        effort: readingEffort(10),
        ...sizes,
      }),
    ],
  },
  {
    name: "trim",
    overloads: [
      method({ id: "string_trim", takes: [stringType], call: trim, effort: readingEffort(15), ...sizes }),
    ],
  },
  {
    name: "replace",
    overloads: [
      method({
        id: "string_replace_string_string",
        takes: [stringType, stringType, stringType],
        gives: stringType,
        call: (text, old, by) => replace(text, [old, by], -1),
        cost: rewriting,
        effort: searchingEffort,
      }),
      method({
        id: "string_replace_string_string_int",
        takes: [stringType, stringType, stringType, intType],
        gives: stringType,
        call: (text, old, by, limit) => replace(text, [old, by], limit),
        cost: rewriting,
        effort: searchingEffort,
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
        effort: searchingEffort,
      }),
      method({
        id: "string_split_string_int",
        takes: [stringType, stringType, intType],
        gives: texts,
        call: split,
        cost: rewriting,
        effort: searchingEffort,
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
        effort: joiningEffort,
        cost: (_, result) => Math.ceil(costSize(result) * 2 * 0.1),
      }),
      method({
        id: "list_join_string",
        takes: [texts, stringType],
        gives: stringType,
        call: join,
        effort: joiningEffort,
        cost: (_, result) => Math.ceil(costSize(result) * 2 * 0.1),
      }),
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      overload({
        id: "strings_quote",
        takes: [stringType],
        gives: stringType,
        call: quote,
        cost: traversal,
        effort: readingEffort(100),
      }),
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
  functions: /* @__PURE__ */ latestFunctions(),
};

/** The functions, made by a call that bundles leave out where nothing uses the library. */
function latestFunctions(): Library["functions"] {
  return [
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
  ];
}
