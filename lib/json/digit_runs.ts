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
/** An exponent of three digits, which makes any number huge. Its search takes a twentieth of the parser's time. */
const hugeExponent = /[0-9][eE]\+?[0-9]{3}/;

/**
 * Looks for long runs of digits and long exponents in a text. For runs it looks at every 16th character only, because
 * each long run has one of them, and at each digit of a run once: a regular expression for runs takes a fifth of the
 * parser's time.
 *
 * ```ts
 * import { digitRunsOf } from "./digit_runs.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(digitRunsOf('{"id":9007199254740993}'), { mayBeLong: true, mayBeHuge: false });
 * assert.deepEqual(digitRunsOf('{"id":1e400}'), { mayBeLong: false, mayBeHuge: true });
 * ```
 */
export function digitRunsOf(text: string): DigitRuns {
  let mayBeLong = false, mayBeHuge = hugeExponent.test(text), end = 0;
  for (let at = longRun - 1; at < text.length; at += longRun) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (start > end && isDigit(text, start - 1)) start--;
    end = at + 1;
    while (isDigit(text, end)) end++;
    mayBeLong ||= end - start >= longRun;
    mayBeHuge ||= end - start >= hugeRun;
    at = end - 1;
  }
  return { mayBeLong, mayBeHuge };
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}
