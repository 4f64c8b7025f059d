import { join } from "node:path";
import { durationProblem, durationSeconds, formatDuration, parseDuration } from "../../../lib/kube/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface DurationRow {
  readonly text: string;
  readonly error?: string;
  readonly nanoseconds: string;
  readonly text2: string;
  readonly seconds: number;
}

/** Go durations: reading and printing. */
export const duration: ConformanceSet = {
  name: "matrix/duration",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<DurationRow>(join(corpus, "matrix/duration.jsonl"))) {
      yield { id: String(line), input: row.text, check: () => checkRow(row) };
    }
  },
};

function checkRow(row: DurationRow): Check[] {
  const parsed = parseDuration(row.text);
  if (parsed === undefined || row.error !== undefined) {
    const problem = durationProblem(row.text);
    return [
      checkText("refused", String(row.error !== undefined), String(parsed === undefined)),
      checkText("error", row.error ?? "none", problem ?? "none"),
    ];
  }
  return [
    checkText("nanoseconds", row.nanoseconds, String(parsed)),
    checkText("text", row.text2, formatDuration(parsed)),
    checkText("seconds", String(row.seconds), String(durationSeconds(parsed))),
  ];
}
