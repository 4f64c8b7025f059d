/**
 * Whether Go reads a JSON number as an int64 and not as a float64. JSON does not distinguish `1.0` from `1`, so every
 * whole number in range is an integer.
 */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/**
 * Writes a number for the comparison with durations and quantities: integers plain, others with six decimals
 * (Go's `%f`).
 */
export function decimalText(value: number): string {
  if (isInt64(value)) return String(value);
  if (Number.isInteger(value)) return `${BigInt(value)}.000000`;
  const rounded = value.toFixed(6);
  // toFixed rounds a tie up, Go rounds it to the even digit. Only odd multiples of 1/128 are ties at six decimals.
  if (!Number.isInteger(value * 128)) return rounded;
  const exact = value.toFixed(7);
  return exact.endsWith("5") && Number(exact.at(-2)) % 2 === 0 ? exact.slice(0, -1) : rounded;
}

/**
 * Writes a number for the comparison with words and wildcards: integers plain, others as `1.5E+00` (Go's `%E`,
 * shortest).
 */
export function scientificText(value: number): string {
  if (isInt64(value)) return String(value);
  const [digits, power] = value.toExponential().split("e") as [string, string];
  return `${digits}E${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/**
 * Returns the canonical text of a decimal integer of any length, `7` for `+007`; `undefined` for other texts.
 */
export function integerText(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const negative = text[0] === "-";
  let start = negative || text[0] === "+" ? 1 : 0;
  while (start < text.length - 1 && text[start] === "0") start++;
  const digits = text.slice(start);
  return negative && digits !== "0" ? `-${digits}` : digits;
}

/**
 * Returns the value of a decimal number in Go's spelling, with or without exponent; `undefined` for other
 * texts.
 */
export function floatOf(text: string): number | undefined {
  // The expression matches each text in one way only, so the time grows only with the length.
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}
