/** The sizes that numbers of a JSON text may have. */
export interface DigitRuns {
  /** Whether a number may be beyond 2^53, where doubles have no longer all digits. */
  readonly mayBeLong: boolean;
  /** Whether a number may be beyond all doubles. */
  readonly mayBeHuge: boolean;
}

/** The least digits of a number beyond 2^53. */
const longRun = 16;
/** The least digits of a number beyond all doubles, which may have an exponent of two digits, and some room. */
const hugeRun = 200;
/** The least digits of an exponent that makes any number huge. */
const exponentRun = 3;

/**
 * Looks for long runs of digits and long exponents in a text. It looks at every third character only, because each of
 * them has three digits, and at each digit of a run once: a regular expression took longer than the parser.
 *
 * ```ts
 * import { digitRunsOf } from "./digit_runs.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(digitRunsOf('{"id":9007199254740993}'), { mayBeLong: true, mayBeHuge: false });
 * assert.deepEqual(digitRunsOf('{"id":1e400}'), { mayBeLong: false, mayBeHuge: true });
 * ```
 */
export function digitRunsOf(text: string): DigitRuns {
  let mayBeLong = false, mayBeHuge = false, end = 0;
  for (let at = exponentRun - 1; at < text.length; at += exponentRun) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (start > end && isDigit(text, start - 1)) start--;
    end = at + 1;
    while (isDigit(text, end)) end++;
    const length = end - start;
    mayBeLong ||= length >= longRun;
    mayBeHuge ||= length >= hugeRun || length >= exponentRun && isExponent(text, start);
    at = end - 1;
  }
  return { mayBeLong, mayBeHuge };
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** Whether a run of digits is an exponent that is not negative. */
function isExponent(text: string, start: number): boolean {
  const sign = text.charCodeAt(start - 1) === 0x2b ? 1 : 0;
  return (text.charCodeAt(start - 1 - sign) | 0x20) === 0x65 && isDigit(text, start - 2 - sign);
}
