/**
 * Whether Go reads a JSON number as an int64 and not as a float64. JSON does not distinguish `1.0` from `1`, so every
 * whole number in range is an integer.
 */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** A number as it is compared with durations and quantities: integers plain, others with six decimals (Go's `%f`). */
export function decimalText(value: number): string {
  if (isInt64(value)) return String(value);
  if (Number.isInteger(value)) return `${BigInt(value)}.000000`;
  const rounded = value.toFixed(6);
  // toFixed rounds a tie up, Go rounds it to the even digit. Only odd multiples of 1/128 are ties at six decimals.
  if (!Number.isInteger(value * 128)) return rounded;
  const exact = value.toFixed(7);
  return exact.endsWith("5") && Number(exact.at(-2)) % 2 === 0 ? exact.slice(0, -1) : rounded;
}

/** A number as it is compared with words and wildcards: integers plain, others as `1.5E+00` (Go's `%E`, shortest). */
export function scientificText(value: number): string {
  if (isInt64(value)) return String(value);
  const [digits, power] = value.toExponential().split("e") as [string, string];
  return `${digits}E${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/** The canonical text of a decimal integer, however long; `undefined` for other texts: `+007` is `7`. */
export function integerText(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const negative = text[0] === "-";
  let start = negative || text[0] === "+" ? 1 : 0;
  while (start < text.length - 1 && text[start] === "0") start++;
  const digits = text.slice(start);
  return negative && digits !== "0" ? `-${digits}` : digits;
}

/** The value of a decimal number in Go's spelling, exponents included; `undefined` for other texts. */
export function floatOf(text: string): number | undefined {
  // One way to match each text, so that a long one costs no more than its length.
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}
