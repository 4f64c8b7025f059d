import { CelFault, failure } from "../fault.ts";
import { type CelExpression, type Macro, type MacroCall, variableName } from "../syntax/mod.ts";
import {
  boolType,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  typeParameter,
} from "../types/mod.ts";
import {
  Duration,
  isListValue,
  isMapValue,
  mapSize,
  numeric,
  Optional,
  Timestamp,
  type Value,
} from "../values/mod.ts";
import { type Library, method, type Overload, overload, type Result } from "./library.ts";

const k = typeParameter("K"), v = typeParameter("V");
const optional = optionalType(v), list = listType(v), map = mapType(k, v);

/**
 * `target.optMap(x, f)`: applies `f` to the value when there is one, and wraps the result unless `f` returns an
 * optional.
 */
function mappingMacro(name: string, wrap: (mapped: CelExpression) => CelExpression): Macro {
  return {
    name,
    style: "method",
    arity: 2,
    expand({ target, args, offset, fail }: MacroCall) {
      const [variable, body] = args;
      if (target === undefined || variable === undefined || body === undefined) return undefined;
      const bound = variableName(variable);
      if (bound === undefined) {
        return fail(variable.offset, `${name}() variable name must be a simple identifier`);
      }
      const value: CelExpression = { kind: "call", name: "value", target, args: [], offset };
      return {
        kind: "call",
        name: "_?_:_",
        args: [
          { kind: "call", name: "hasValue", target, args: [], offset },
          wrap({ kind: "bind", name: bound, value, body, offset }),
          { kind: "call", name: "optional.none", args: [], offset },
        ],
        offset,
      };
    },
  };
}

/** An operator that the planner implements: only its types are declared here. */
function typesOnly(id: string, takes: readonly CelType[], gives: CelType): Overload {
  return overload({ id, takes, gives, call: () => failure(`${id} is not a function`) });
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === "") return true;
  const number = numeric(value);
  if (number !== undefined) return number === 0 || number === 0n;
  if (isListValue(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  // The zero of a timestamp is Go's, not 1970.
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  return isMapValue(value) && mapSize(value) === 0;
}

function unwrap(items: readonly Value[]): Result {
  const values: Value[] = [];
  for (const item of items) {
    if (!(item instanceof Optional)) return failure("value is not optional");
    if (item.value !== undefined) values.push(item.value);
  }
  return values;
}

/** Optional values: `a.?b`, `a[?b]`, `{?k: v}`, `or`, `orValue`, `optMap` and related functions. */
export const optionalLibrary: Library = {
  name: "optional",
  syntax: "optional",
  types: [optionalType(dynType)],
  macros: [
    mappingMacro("optMap", (mapped) => ({
      kind: "call",
      name: "optional.of",
      args: [mapped],
      offset: mapped.offset,
    })),
    mappingMacro("optFlatMap", (mapped) => mapped),
  ],
  functions: [
    {
      name: "optional.of",
      overloads: [overload({ id: "optional_of", takes: [v], gives: optional, call: Optional.of })],
    },
    {
      name: "optional.ofNonZeroValue",
      overloads: [
        overload({
          id: "optional_ofNonZeroValue",
          takes: [v],
          gives: optional,
          call: (value) => isZero(value) ? Optional.none : Optional.of(value),
        }),
      ],
    },
    {
      name: "optional.none",
      overloads: [overload({ id: "optional_none", takes: [], gives: optional, call: () => Optional.none })],
    },
    {
      name: "value",
      overloads: [
        method({
          id: "optional_value",
          takes: [optional],
          gives: v,
          call: ({ value }) => value ?? noValue(value),
        }),
      ],
    },
    {
      name: "hasValue",
      overloads: [
        method({
          id: "optional_hasValue",
          takes: [optional],
          gives: boolType,
          call: ({ value }) => value !== undefined,
        }),
      ],
    },
    // The planner implements `or` and `orValue`, because they do not evaluate their argument when there is a value.
    {
      name: "or",
      overloads: [
        method({
          id: "optional_or_optional",
          takes: [optional, optional],
          gives: optional,
          call: (left, right) => left.value === undefined ? right : left,
        }),
      ],
    },
    {
      name: "orValue",
      overloads: [
        method({
          id: "optional_orValue_value",
          takes: [optional, v],
          gives: v,
          call: ({ value }, other) => value === undefined ? other : value,
        }),
      ],
    },
    { name: "_?._", overloads: [typesOnly("select_optional_field", [dynType, stringType], optional)] },
    {
      name: "_[?_]",
      overloads: [
        typesOnly("list_optindex_optional_int", [list, intType], optional),
        typesOnly("optional_list_optindex_optional_int", [optionalType(list), intType], optional),
        typesOnly("map_optindex_optional_value", [map, k], optional),
        typesOnly("optional_map_optindex_optional_value", [optionalType(map), k], optional),
      ],
    },
    {
      name: "_[_]",
      overloads: [
        typesOnly("optional_list_index_int", [optionalType(list), intType], optional),
        typesOnly("optional_map_index_value", [optionalType(map), k], optional),
      ],
    },
    {
      name: "first",
      overloads: [
        method({
          id: "list_first",
          takes: [list],
          gives: optional,
          call: (items) => items.length === 0 ? Optional.none : Optional.of(items[0]!),
        }),
      ],
    },
    {
      name: "last",
      overloads: [
        method({
          id: "list_last",
          takes: [list],
          gives: optional,
          call: (items) => items.length === 0 ? Optional.none : Optional.of(items.at(-1)!),
        }),
      ],
    },
    {
      name: "optional.unwrap",
      overloads: [
        overload({ id: "optional_unwrap", takes: [listType(optional)], gives: list, call: unwrap }),
      ],
    },
    {
      name: "unwrapOpt",
      overloads: [
        method({ id: "optional_unwrapOpt", takes: [listType(optional)], gives: list, call: unwrap }),
      ],
    },
  ],
};

/** A present null is a value; only an absent value is the error. */
function noValue(value: null | undefined): Result {
  return value === null ? null : new CelFault("optional_none", "optional.none() dereference");
}
