import assert from "node:assert/strict";
import fc from "fast-check";
import {
  addQuantities,
  compareQuantities,
  divideQuantities,
  formatQuantity,
  multiplyQuantities,
  parseQuantity,
  type Quantity,
  quantityAsFloat,
  quantityAsInt64,
  quantityProblem,
  subtractQuantities,
} from "../../lib/kube/mod.ts";

const canonical: [text: string, expected: string, format: string][] = [
  ["0", "0", "DecimalSI"],
  ["0.5", "500m", "DecimalSI"],
  ["1000m", "1", "DecimalSI"],
  ["1500", "1500", "DecimalSI"],
  ["1000000", "1M", "DecimalSI"],
  ["0.1Gi", "107374182400m", "BinarySI"],
  ["1024Mi", "1Gi", "BinarySI"],
  ["1000Ki", "1000Ki", "BinarySI"],
  ["0.5Ki", "512", "BinarySI"],
  ["1e3", "1e3", "DecimalExponent"],
  ["12E6", "12E6", "DecimalExponent"],
  ["1E", "1E", "DecimalSI"],
  ["-.n", "0", "DecimalSI"],
  ["0.1n", "1n", "DecimalSI"],
  ["1e-20", "1e-9", "DecimalExponent"],
  ["1e-999999999", "1e-9", "DecimalExponent"],
  ["100Ei", "9223372036854775807", "BinarySI"],
];
for (const [text, expected, format] of canonical) {
  Deno.test(`quantity ${text} prints as ${expected} in ${format}`, () => {
    const quantity = parseQuantity(text)!;
    assert.equal(formatQuantity(quantity), expected);
    assert.equal(quantity.format, format);
  });
}

Deno.test("beyond exa no suffix is printed, as in Kubernetes", () => {
  assert.equal(formatQuantity(parseQuantity("1000000000000000000000")!), "1");
});

const refused: [text: string, problem: RegExp][] = [
  ["", /must match/],
  ["1 Gi", /must match/],
  ["1.2.3", /must match/],
  ["nginx", /must match/],
  ["5 ", /must match/],
  ["0x10", /must match/],
  ["1GiB", /must match/],
  ["1iG", /suffix/],
  ["1K", /suffix/],
  ["1e", /suffix/],
  ["1e99999", /suffix/],
  ["-.e-30", /numeric/],
  [`1${"0".repeat(2000)}`, /must match/],
];
for (const [text, problem] of refused) {
  Deno.test(`${JSON.stringify(text.slice(0, 20))} is no quantity`, () => {
    assert.equal(parseQuantity(text), undefined);
    assert.match(quantityProblem(text)!, problem);
  });
}

const order: [left: string, right: string, expected: number][] = [
  ["1Gi", "1024Mi", 0],
  ["1G", "1Gi", -1],
  ["0.2Gi", "100Mi", 1],
  ["100m", "0.1", 0],
  ["-1", "1n", -1],
  ["1e3", "1k", 0],
  ["1e900", "1n", 1],
  ["99999999999999999999999", "99999999999999999999998", 1],
];
for (const [left, right, expected] of order) {
  Deno.test(`quantity ${left} against ${right} is ${expected}`, () => {
    assert.equal(compareQuantities(parseQuantity(left)!, parseQuantity(right)!), expected);
    assert.equal(compareQuantities(parseQuantity(right)!, parseQuantity(left)!), 0 - expected);
  });
}

const arithmetic: [left: string, operator: "+" | "-" | "*" | "/", right: string, expected: string][] = [
  ["1Gi", "+", "1Gi", "2Gi"],
  ["1Gi", "+", "1", "1073741825"],
  ["500m", "+", "500m", "1"],
  ["0", "+", "1Gi", "1Gi"],
  ["1Ki", "-", "1Ki", "0"],
  ["0", "-", "1Gi", "-1Gi"],
  ["2Gi", "-", "1Gi", "1Gi"],
  ["1Gi", "*", "3", "3Gi"],
  ["300m", "*", "2.5", "750m"],
  ["10", "/", "3", "3"],
  ["10m", "/", "3", "3m"],
  ["-10", "/", "3", "-3"],
  ["3Gi", "/", "2", "1536Mi"],
];
const operators: Record<"+" | "-" | "*" | "/", (left: Quantity, right: Quantity) => Quantity | undefined> = {
  "+": addQuantities,
  "-": subtractQuantities,
  "*": multiplyQuantities,
  "/": divideQuantities,
};
for (const [left, operator, right, expected] of arithmetic) {
  Deno.test(`quantity ${left} ${operator} ${right} is ${expected}`, () => {
    const result = operators[operator](parseQuantity(left)!, parseQuantity(right)!);
    assert.equal(formatQuantity(result!), expected);
  });
}

Deno.test("dividing a quantity by zero has no result", () => {
  assert.equal(divideQuantities(parseQuantity("1")!, parseQuantity("0")!), undefined);
});

Deno.test("a quantity is an int64 only when it has no fraction and at most 18 digits", () => {
  assert.equal(quantityAsInt64(parseQuantity("1Gi")!), 1073741824n);
  assert.equal(quantityAsInt64(parseQuantity("1500m")!), undefined);
  assert.equal(quantityAsInt64(parseQuantity("1.0000000000000000000")!), undefined);
  assert.equal(quantityAsFloat(parseQuantity("2500m")!), 2.5);
});

const quantities = fc.tuple(
  fc.constantFrom("", "-", "+"),
  fc.stringMatching(/^[0-9]{1,12}(\.[0-9]{1,6})?$/),
  fc.constantFrom(
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "e3",
    "E-2",
  ),
).map((parts) => parts.join(""));

Deno.test("a printed quantity reads as the same number", () => {
  fc.assert(fc.property(quantities, (text) => {
    const quantity = parseQuantity(text)!;
    if (quantity.exponent > 20 || /^1?$/.test(formatQuantity(quantity))) return;
    const again = parseQuantity(formatQuantity(quantity));
    if (quantity.unscaled.toString().length + quantity.exponent < 20) {
      assert.equal(compareQuantities(again!, quantity), 0, text);
    }
  }));
});

Deno.test("adding and subtracting the same quantity changes nothing", () => {
  fc.assert(fc.property(quantities, quantities, (left, right) => {
    const [a, b] = [parseQuantity(left)!, parseQuantity(right)!];
    assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0);
  }));
});

Deno.test("parseQuantity() never throws, for any text", () => {
  fc.assert(fc.property(fc.stringMatching(/^[-+0-9.eEinumkKMGTP]{0,30}$/), (text) => {
    const quantity = parseQuantity(text);
    assert.equal(quantity === undefined, quantityProblem(text) !== undefined);
    if (quantity !== undefined) formatQuantity(quantity);
  }));
});
