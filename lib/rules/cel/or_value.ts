import { dynType, type Library, Optional, type Value } from "../../cel/mod.ts";

/**
 * Kyverno parity: `x.orValue(y)` of an `x` that is no optional is `x` itself, so policies that call it on plain fields
 * keep working. Pinned by "orValue of a plain value is the value".
 */
export const orValueLibrary: Library = {
  name: "orValue",
  macros: [{
    name: "orValue",
    style: "method",
    arity: 1,
    expand: ({ target, args, offset }) =>
      target === undefined ? undefined : { kind: "call", name: "@orValue", args: [target, ...args], offset },
  }],
  functions: [{
    name: "@orValue",
    overloads: [{
      id: "or_value_dyn_dyn",
      style: "function",
      parameters: [dynType, dynType],
      result: dynType,
      call: (value: Value, other: Value) => value instanceof Optional ? value.value ?? other : value,
    }],
  }],
};
