import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityAsFloat,
  quantityAsInt64,
  quantityOf,
  quantityProblem,
  quantitySign,
  subtractQuantities,
} from "../../kube/mod.ts";
import { failure } from "../fault.ts";
import { boolType, type CelType, doubleType, intType, opaqueType, stringType } from "../types/mod.ts";
import { type Int, Opaque, toFloat, toInt } from "../values/mod.ts";
import { parsing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload } from "./library.ts";

const quantityType: CelType<QuantityValue> = opaqueType("kubernetes.Quantity");

class QuantityValue extends Opaque {
  readonly type = quantityType;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }

  toString(): string {
    return formatQuantity(this.quantity);
  }
}

/** A comparison of two quantities. */
function order(
  name: string,
  id: string,
  answer: { readonly gives: CelType; readonly of: (order: -1 | 0 | 1) => boolean | number },
): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id,
        takes: [quantityType, quantityType],
        gives: answer.gives,
        call: (left, right) => answer.of(compareQuantities(left.quantity, right.quantity)),
      }),
    ],
  };
}

/** `add` or `sub`, of a quantity and of an int. */
function arithmetic(
  name: string,
  compute: (left: Quantity, right: Quantity) => Quantity,
): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id: `quantity_${name}`,
        takes: [quantityType, quantityType],
        gives: quantityType,
        call: (left, right) => new QuantityValue(compute(left.quantity, right.quantity)),
      }),
      method({
        id: `quantity_${name}_int`,
        takes: [quantityType, intType],
        gives: quantityType,
        call: (left, right: Int) =>
          new QuantityValue(compute(left.quantity, quantityOf(BigInt(right), "DecimalExponent"))),
      }),
    ],
  };
}

/** Quantities of resources: `quantity(text)`, `isQuantity(text)`, arithmetic, order and conversions. */
export const quantityLibrary: Library = {
  name: "kubernetes.quantity",
  functions: [
    {
      name: "quantity",
      overloads: [
        overload({
          id: "string_to_quantity",
          takes: [stringType],
          gives: quantityType,
          call: (text) => {
            const quantity = parseQuantity(text);
            return quantity === undefined
              ? failure(quantityProblem(text) ?? "not a quantity")
              : new QuantityValue(quantity);
          },
          cost: parsing,
        }),
      ],
    },
    {
      name: "isQuantity",
      overloads: [
        overload({
          id: "is_quantity_string",
          takes: [stringType],
          gives: boolType,
          call: (text) => parseQuantity(text) !== undefined,
          cost: parsing,
        }),
      ],
    },
    {
      // Kyverno parity: Kubernetes documents `q.sign()` but declares `sign(q)`. Pinned by
      // tests/cel/libraries/kubernetes_test.ts.
      name: "sign",
      overloads: [
        overload({
          id: "quantity_sign",
          takes: [quantityType],
          gives: intType,
          call: ({ quantity }) => quantitySign(quantity),
        }),
      ],
    },
    order("isGreaterThan", "quantity_is_greater_than", { gives: boolType, of: (order) => order > 0 }),
    order("isLessThan", "quantity_is_less_than", { gives: boolType, of: (order) => order < 0 }),
    order("compareTo", "quantity_compare_to", { gives: intType, of: (order) => order }),
    {
      name: "asApproximateFloat",
      overloads: [
        method({
          id: "quantity_get_float",
          takes: [quantityType],
          gives: doubleType,
          call: ({ quantity }) => toFloat(quantityAsFloat(quantity)),
        }),
      ],
    },
    {
      name: "asInteger",
      overloads: [
        method({
          id: "quantity_get_int",
          takes: [quantityType],
          gives: intType,
          call: ({ quantity }) => {
            const value = quantityAsInt64(quantity);
            return value === undefined ? failure("cannot convert value to integer") : toInt(value);
          },
        }),
      ],
    },
    {
      name: "isInteger",
      overloads: [
        method({
          id: "quantity_is_integer",
          takes: [quantityType],
          gives: boolType,
          call: ({ quantity }) => quantityAsInt64(quantity) !== undefined,
        }),
      ],
    },
    arithmetic("add", addQuantities),
    arithmetic("sub", subtractQuantities),
  ],
};
