/** One thing that a row promises: Kyverno's answer beside ours. */
export interface Check {
  /** The compared part of the answer: `result`, `message`, `allowed`, `patched` … Each has a line in the table. */
  readonly aspect: string;
  readonly agree: boolean;
  readonly expected: string;
  readonly actual: string;
}

/** One input of the corpus. */
export interface Row {
  /** Stable name inside its set: a line number or a case's folder. */
  readonly id: string;
  /** The input, short, for the listing of differences. */
  readonly input: string;
  check(): readonly Check[] | Promise<readonly Check[]>;
}

/** A part of the corpus and how to compare it. */
export interface ConformanceSet {
  /** As given on the command line: `matrix/conditions`, `admission/01-pss-enforce`. */
  readonly name: string;
  /** The share of agreeing checks that is promised, per aspect; 1 where an aspect is not named. */
  readonly goals: Readonly<Record<string, number>>;
  /** The part of this set that Postern does not support yet: the table shows its differences, but they fail no test. */
  readonly pending?: string;
  rows(corpus: string): Iterable<Row> | AsyncIterable<Row>;
}

/** Compares two texts under an aspect. */
export function checkText(aspect: string, expected: string, actual: string): Check {
  return { aspect, agree: expected === actual, expected, actual };
}

/** The rows of a file with one JSON object a line, numbered from 1. */
export function* jsonLines<T>(path: string): Generator<{ line: number; row: T }> {
  let line = 0;
  for (const text of Deno.readTextFileSync(path).split("\n")) {
    line++;
    if (text !== "") yield { line, row: JSON.parse(text) as T };
  }
}
