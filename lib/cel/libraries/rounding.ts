import { doubleType, intType } from "../types/mod.ts";
import { floatValue, toFloat } from "../values/mod.ts";
import { type Library, overload } from "./library.ts";

/** `math.round(number, digits)`: rounded to digits after the point, halves away from zero. */
export const roundingLibrary: Library = {
  name: "kyverno.math",
  functions: [
    {
      name: "math.round",
      overloads: [
        overload({
          id: "math_round_float_int",
          takes: [doubleType, intType],
          gives: doubleType,
          call: (value, digits) => {
            const shift = Math.pow(10, Number(digits)), shifted = floatValue(value) * shift;
            const whole = Number.isInteger(shifted)
              ? shifted
              : Math.sign(shifted) * Math.floor(Math.abs(shifted) + 0.5);
            return toFloat(whole / shift);
          },
        }),
      ],
    },
  ],
};
