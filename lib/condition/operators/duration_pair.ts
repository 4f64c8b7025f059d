import type { Json } from "../../json/mod.ts";
import { durationSeconds, parseDuration } from "../../kube/mod.ts";

const second = 1_000_000_000n;

/** A whole number of seconds in nanoseconds; fractions are cut off and large ones wrap around, as in Go's int64. */
export function nanosecondsOf(seconds: number): bigint {
  const whole = Math.abs(seconds) < 2 ** 63 ? BigInt(Math.trunc(seconds)) : -(2n ** 63n);
  return BigInt.asIntN(64, whole * second);
}

/** One side of a comparison that may be one of durations, parsed once. */
export interface DurationSide {
  /** Seconds, when the side is a text that parses as a duration. `"0"` is compared as a number. */
  readonly text: number | undefined;
  /** Seconds, when the side is a number. */
  readonly number: number | undefined;
}

/** Parses a side. */
export function durationSide(value: Json): DurationSide {
  if (typeof value === "number") return { text: undefined, number: durationSeconds(nanosecondsOf(value)) };
  if (typeof value !== "string" || value === "0") return { text: undefined, number: undefined };
  const parsed = parseDuration(value);
  return { text: parsed === undefined ? undefined : durationSeconds(parsed), number: undefined };
}

/**
 * The seconds of both sides when they are compared as durations: at least one is the text of a duration, and the
 * other is one too or a number.
 */
export function durationPair(key: DurationSide, value: DurationSide): readonly [number, number] | undefined {
  if (key.text === undefined && value.text === undefined) return undefined;
  const left = key.text ?? key.number, right = value.text ?? value.number;
  return left === undefined || right === undefined ? undefined : [left, right];
}
