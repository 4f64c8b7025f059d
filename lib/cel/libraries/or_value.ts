import { dynType } from "../types/mod.ts";
import { Optional } from "../values/mod.ts";
import { type Library, overload } from "./library.ts";

/**
 * `x.orValue(y)` where `x` may also be a plain value, which is then the result.
 * Kyverno parity: older CEL allowed this, and policies use it. Pinned by "orValue() of a plain value is that value".
 */
export const orValueLibrary: Library = {
  name: "kyverno.orValue",
  macros: [
    {
      name: "orValue",
      style: "method",
      arity: 1,
      expand: ({ target, args, offset }) =>
        target && { kind: "call", name: "@orValue", args: [target, ...args], offset },
    },
  ],
  functions: [
    {
      name: "@orValue",
      overloads: [
        overload({
          id: "or_value_dyn_dyn",
          takes: [dynType, dynType],
          gives: dynType,
          call: (value, other) => {
            if (!(value instanceof Optional)) return value;
            return value.value === undefined ? other : value.value;
          },
        }),
      ],
    },
  ],
};
