import { Fault, goFloat, type Json } from "../../json/mod.ts";
import {
  addQuantities,
  divideQuantities,
  durationOfSeconds,
  durationSeconds,
  formatDuration,
  formatQuantity,
  multiplyQuantities,
  parseDuration,
  parseQuantity,
  type Quantity,
  quantityAsFloat,
  quantityOf,
  subtractQuantities,
  wrongQuantityFormat,
} from "../../kube/mod.ts";
import { functionFault } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

/**
 * An operand of Kyverno's arithmetic functions. A text is a quantity if it can be one, so `5m` is five thousandths,
 * not five minutes.
 */
type Operand =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "quantity"; readonly quantity: Quantity }
  | { readonly kind: "duration"; readonly nanoseconds: bigint };

/** Computes a result under a function's name for its messages; `undefined` when the kinds do not fit together. */
type Calculation = (left: Operand, right: Operand, name: string) => Json | Fault | undefined;

/** The longest text that can be a number of Kubernetes; no quantity with more digits is worth parsing. */
const maxOperand = 1_000;

function operand(value: Json): Operand | undefined {
  if (typeof value === "number") return { kind: "number", number: value };
  if (typeof value !== "string" || value.length > maxOperand) return undefined;
  const quantity = parseQuantity(value);
  if (quantity !== undefined) return { kind: "quantity", quantity };
  const nanoseconds = parseDuration(value);
  return nanoseconds === undefined ? undefined : { kind: "duration", nanoseconds };
}

const invalidOperand = "invalid operand";

function calculate(name: string, calculation: Calculation, [left, right]: readonly Json[]): Json | Fault {
  const one = operand(left!), other = operand(right!);
  if (one === undefined || other === undefined) return functionFault(name, invalidOperand);
  return calculation(one, other, name) ?? functionFault(name, "Types mismatch");
}

const quantityText = (quantity: Quantity): string => formatQuantity(quantity);

/** Durations are 64-bit integers of nanoseconds, and overflow as such. */
const durationText = (nanoseconds: bigint): string => formatDuration(BigInt.asIntN(64, nanoseconds));

const add: Calculation = (left, right) => {
  if (left.kind === "number" && right.kind === "number") return left.number + right.number;
  if (left.kind === "quantity" && right.kind === "quantity") {
    return quantityText(addQuantities(left.quantity, right.quantity));
  }
  if (left.kind === "duration" && right.kind === "duration") {
    return durationText(left.nanoseconds + right.nanoseconds);
  }
  return undefined;
};

const subtract: Calculation = (left, right) => {
  if (left.kind === "number" && right.kind === "number") return left.number - right.number;
  if (left.kind === "quantity" && right.kind === "quantity") {
    return quantityText(subtractQuantities(left.quantity, right.quantity));
  }
  if (left.kind === "duration" && right.kind === "duration") {
    return durationText(left.nanoseconds - right.nanoseconds);
  }
  return undefined;
};

const multiply: Calculation = (left, right, name) => {
  if (right.kind !== "number") return left.kind === "number" ? multiply(right, left, name) : undefined;
  switch (left.kind) {
    case "number":
      return left.number * right.number;
    case "duration":
      return durationText(durationOfSeconds(durationSeconds(left.nanoseconds) * right.number));
    case "quantity": {
      const factor = quantityOfNumber(right.number);
      return factor instanceof Fault ? factor : quantityText(multiplyQuantities(left.quantity, factor));
    }
  }
};

/**
 * Kyverno parity: a number becomes a quantity through its text. Pinned by "arithmetic of numbers and quantities is
 * exact".
 */
function quantityOfNumber(number: number): Quantity | Fault {
  return parseQuantity(goFloat(number)) ?? new Fault(wrongQuantityFormat);
}

const zeroDivisor = "Zero divisor passed";

const divide: Calculation = (left, right, name) => {
  if (right.kind === "number" && left.kind !== "number" && right.number === 0) {
    return functionFault(name, zeroDivisor);
  }
  if (left.kind === right.kind) {
    const divisor = ratioValue(right);
    return divisor === 0 ? functionFault(name, zeroDivisor) : ratioValue(left) / divisor;
  }
  if (right.kind !== "number") return undefined;
  if (left.kind === "duration") {
    return durationText(durationOfSeconds(durationSeconds(left.nanoseconds) / right.number));
  }
  if (left.kind !== "quantity") return undefined;
  const divisor = quantityOfNumber(right.number);
  if (divisor instanceof Fault) return divisor;
  const quotient = divideQuantities(left.quantity, divisor);
  return quotient === undefined ? functionFault(name, zeroDivisor) : quantityText(quotient);
};

/** The number of an operand in a ratio of two operands of the same kind. */
function ratioValue(operand: Operand): number {
  switch (operand.kind) {
    case "number":
      return operand.number;
    case "quantity":
      return quantityAsFloat(operand.quantity);
    case "duration":
      return durationSeconds(operand.nanoseconds);
  }
}

const modulo: Calculation = (left, right, name) => {
  if (left.kind !== right.kind) return undefined;
  if (left.kind === "duration" && right.kind === "duration") {
    return right.nanoseconds === 0n
      ? functionFault(name, zeroDivisor)
      : durationText(left.nanoseconds % right.nanoseconds);
  }
  const dividend = wholeNumber(ratioValue(left)), divisor = wholeNumber(ratioValue(right));
  if (dividend === undefined || divisor === undefined) {
    return functionFault(name, "Non-integer argument(s) passed for modulo");
  }
  if (divisor === 0n) return functionFault(name, zeroDivisor);
  const rest = dividend % divisor;
  return left.kind === "quantity" ? quantityText(quantityOf(rest, left.quantity.format)) : Number(rest);
};

/** A number as a 64-bit integer, if it is one. */
function wholeNumber(value: number): bigint | undefined {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value) : undefined;
}

function binary(name: string, calculation: Calculation): FunctionRecord {
  return {
    kind: "plain",
    name,
    parameters: [parameter("left", "any"), parameter("right", "any")],
    returns: ["number", "string"],
    // Both texts may be quantities or durations.
    steps: 16,
    integerProblem: functionFault(name, invalidOperand).message,
    apply: (args) => calculate(name, calculation, args),
  };
}

/** Kyverno's arithmetic of numbers, quantities (`1Gi`, `500m`) and durations (`1h30m`). */
export const arithmetic: readonly FunctionRecord[] = [
  binary("add", add),
  binary("subtract", subtract),
  binary("multiply", multiply),
  binary("divide", divide),
  binary("modulo", modulo),
  {
    kind: "plain",
    name: "sum",
    // Each element may be a quantity that has to be parsed.
    cost: ([list]) => 8 * (list as readonly Json[]).length,
    parameters: [parameter("list", "array")],
    returns: ["number", "string"],
    apply: ([list]) => {
      const [first, ...rest] = list as readonly Json[];
      if (first === undefined) return functionFault("sum", "at least one element in the array is required");
      let total: Json | Fault = first;
      for (const element of rest) {
        total = calculate("sum", add, [total, element]);
        if (total instanceof Fault) return total;
      }
      return total;
    },
  },
];

/** The notes of these functions. */
export const arithmeticNotes: FunctionNotes = {
  add: {
    summary: "The sum of two numbers, two quantities or two durations.",
    examples: [
      { expression: "add(`1`, `2`)", result: 3 },
      { expression: "add('1Gi', '512Mi')", result: "1536Mi" },
      { expression: "add('1h', '30m0s')", result: "1h30m0s" },
    ],
  },
  subtract: {
    summary: "The difference of two numbers, two quantities or two durations.",
    examples: [{ expression: "subtract('3', '0.1')", result: "2900m" }],
  },
  multiply: {
    summary: "The product of a number with a number, a quantity or a duration.",
    examples: [
      { expression: "multiply('100Mi', `3`)", result: "300Mi" },
      { expression: "multiply(`2`, '1h')", result: "2h0m0s" },
    ],
  },
  divide: {
    summary: "The ratio of two numbers, quantities or durations; or a quantity or duration in equal parts.",
    examples: [
      { expression: "divide('1Gi', '512Mi')", result: 2 },
      { expression: "divide('1h', `4`)", result: "15m0s" },
    ],
  },
  modulo: {
    summary: "What remains of a whole number, quantity or a duration when it is divided by another.",
    examples: [
      { expression: "modulo(`-7`, `3`)", result: -1 },
      { expression: "modulo('90s', '1h')", result: "1m30s" },
    ],
  },
  sum: {
    summary: "The sum of a list of numbers, of quantities or of durations.",
    examples: [
      { expression: "sum(`[1, 2, 3]`)", result: 6 },
      { expression: "sum(['1Gi', '1Gi'])", result: "2Gi" },
    ],
  },
};
