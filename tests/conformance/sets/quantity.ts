import { join } from "node:path";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityAsFloat,
  quantityAsInt64,
  quantityProblem,
  quantitySign,
  subtractQuantities,
} from "../../../lib/kube/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface QuantityRow {
  readonly text: string;
  readonly other?: string;
  readonly error?: string;
  readonly otherError?: string;
  readonly canonical: string;
  readonly format: string;
  readonly sign: number;
  readonly asInt64: string | null;
  readonly approximate: number;
  readonly cmp: number;
  readonly sum: string;
  readonly difference: string;
}

/** Quantities: reading, printing, arithmetic. */
export const quantity: ConformanceSet = {
  name: "matrix/quantity",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<QuantityRow>(join(corpus, "matrix/quantity.jsonl"))) {
      yield { id: String(line), input: `${row.text} ${row.other ?? ""}`, check: () => checkRow(row) };
    }
  },
};

function checkRow(row: QuantityRow): Check[] {
  const parsed = parseQuantity(row.text);
  if (parsed === undefined || row.error !== undefined) {
    return [checkText("error", row.error ?? "none", quantityProblem(row.text) ?? "none")];
  }
  const asInt64 = quantityAsInt64(parsed);
  const checks = [
    checkText("canonical", row.canonical, formatQuantity(parsed)),
    checkText("format", row.format, parsed.format),
    checkText("sign", String(row.sign), String(quantitySign(parsed))),
    checkText("asInt64", String(row.asInt64), asInt64 === undefined ? "null" : String(asInt64)),
    checkText("approximate", String(row.approximate), String(quantityAsFloat(parsed))),
  ];
  if (row.other === undefined) return checks;
  const other = parseQuantity(row.other);
  if (other === undefined || row.otherError !== undefined) {
    return [
      ...checks,
      checkText("otherError", row.otherError ?? "none", quantityProblem(row.other) ?? "none"),
    ];
  }
  return [
    ...checks,
    checkText("cmp", String(row.cmp), String(compareQuantities(parsed, other))),
    checkText("sum", row.sum, formatQuantity(addQuantities(parsed, other))),
    checkText("difference", row.difference, formatQuantity(subtractQuantities(parsed, other))),
  ];
}
