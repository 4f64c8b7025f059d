/** Numbers in the form of `%f` and `%e`. */

/** A double with a fixed number of digits; the `localized` style groups thousands: `1,234.50`. */
export function fixedPoint(value: number, digits: number, style: "localized" | "plain"): string {
  if (!Number.isFinite(value)) return unbounded(value, style);
  const text = exactFixed(value, digits);
  if (style === "plain") return text;
  const [whole, fraction] = text.split(".") as [string, string | undefined];
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A double with an exponent: `1.234568e+04`, in `localized` style `1.234568×10⁰⁴`. */
export function scientific(value: number, digits: number, style: "localized" | "plain"): string {
  if (!Number.isFinite(value)) return unbounded(value, style);
  // The `localized` style reads a precision as a width, so it always writes six digits.
  const shown = style === "plain" ? Math.min(digits, 100) : 6;
  const [mantissa, power] = value.toExponential(shown).split("e") as [string, string];
  const sign = power.startsWith("-") ? "-" : "+", exponent = power.slice(1).padStart(2, "0");
  if (style === "plain") return `${mantissa}e${sign}${exponent}`;
  const raised = [...exponent].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${mantissa}×10${sign === "-" ? "⁻" : ""}${raised}`;
}

function unbounded(value: number, style: "localized" | "plain"): string {
  if (style === "plain" || Number.isNaN(value)) return String(value);
  return value > 0 ? "∞" : "-∞";
}

/** Rounds the exact value of the double, halves to even, as Go does; `toFixed` rounds halves away from zero. */
function exactFixed(value: number, digits: number): string {
  const negative = value < 0 || Object.is(value, -0);
  const { mantissa, exponent } = parts(Math.abs(value));
  // |value| = mantissa × 2^exponent; scaled by 10^digits it is a quotient of whole numbers.
  const numerator = mantissa * 10n ** BigInt(digits) * (exponent > 0 ? 2n ** BigInt(exponent) : 1n);
  const denominator = exponent < 0 ? 2n ** BigInt(-exponent) : 1n;
  let quotient = numerator / denominator;
  const twice = numerator % denominator * 2n;
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) quotient += 1n;
  const text = quotient.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits), fraction = text.slice(text.length - digits);
  return `${negative ? "-" : ""}${whole}${digits === 0 ? "" : `.${fraction}`}`;
}

/** The exact parts of a finite, non-negative double. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n & 0x7ffn), fraction = bits & 0xfffffffffffffn;
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 1n << 52n, exponent: exponent - 1075 };
}
