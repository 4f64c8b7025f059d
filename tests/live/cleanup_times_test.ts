/** Times to live, and the schedules of cleanup policies. */
import assert from "node:assert/strict";
import { compileSchedule, scheduleProblem } from "../../lib/live/cleanup/schedule.ts";
import { endOfLife } from "../../lib/live/cleanup/ttl.ts";
import { created } from "./cleanup_setting.ts";

const labels: readonly (readonly [label: string, end: string | undefined])[] = [
  ["2s", "2026-11-22T10:00:02Z"],
  ["1m", "2026-11-22T10:01:00Z"],
  ["1h30m", "2026-11-22T11:30:00Z"],
  ["1d", "2026-11-23T10:00:00Z"],
  ["1w", "2026-11-29T10:00:00Z"],
  ["1d12h", "2026-11-23T22:00:00Z"],
  ["30sec", "2026-11-22T10:00:30Z"],
  ["2minutes", "2026-11-22T10:02:00Z"],
  ["1hr", "2026-11-22T11:00:00Z"],
  ["2days", "2026-11-24T10:00:00Z"],
  ["1D", "2026-11-23T10:00:00Z"],
  ["100ms", "2026-11-22T10:00:00.100Z"],
  ["1month", undefined],
  ["1y", undefined],
  ["5", undefined],
  ["10_s", undefined],
  ["9999999999999999999s", undefined],
  ["2026-12-01", "2026-12-01T00:00:00Z"],
  ["2026-12-01T150405Z", "2026-12-01T15:04:05Z"],
  ["soon", undefined],
  ["2026-13-01", undefined],
];
for (const [label, end] of labels) {
  Deno.test(`time to live "${label}" ${end === undefined ? "cannot be read" : `ends at ${end}`}`, () => {
    assert.equal(endOfLife(label, created), end === undefined ? undefined : Date.parse(end));
  });
}

const schedules: readonly (readonly [text: string, next: string | undefined])[] = [
  ["*/1 * * * *", "2026-11-22T10:01:00Z"],
  ["0 3 * * *", "2026-11-23T03:00:00Z"],
  ["@hourly", "2026-11-22T11:00:00Z"],
  ["@weekly", "2026-11-29T00:00:00Z"],
  ["5/10 * * * *", "2026-11-22T10:05:00Z"],
  ["0 0 ? * *", "2026-11-23T00:00:00Z"],
  ["0 0 13 * fri", "2026-11-27T00:00:00Z"],
  ["0 0 * January Monday", "2027-01-04T00:00:00Z"],
  ["0 0 L * *", "2026-11-30T00:00:00Z"],
  ["0 0 1 1 * 2028", "2028-01-01T00:00:00Z"],
  ["*/20 * * * * * *", "2026-11-22T10:00:20Z"],
  ["70 0 * * *", undefined],
  ["@every 1h", undefined],
  ["*/100 * * * *", undefined],
  ["* */25 * * *", undefined],
  ["@reboot", undefined],
  ["at six", undefined],
  ["", undefined],
];
for (const [text, next] of schedules) {
  Deno.test(`schedule "${text}" ${next === undefined ? "is refused" : `is due at ${next}`}`, () => {
    const schedule = compileSchedule(text);
    assert.equal(scheduleProblem(text) === undefined, next !== undefined);
    if (!(schedule instanceof Error)) assert.equal(schedule(created), Date.parse(next!));
  });
}

for (const text of ["0 0 1 1 * 2028", "*/20 * * * * * *"]) {
  Deno.test(`schedule "${text}" has too many fields for a cleanup policy`, () => {
    assert.match(scheduleProblem(text, { mostFields: 5 }) ?? "", /5 fields/);
  });
}

Deno.test("a schedule for a day that never comes is never due", () => {
  const schedule = compileSchedule("0 0 30 2 *");
  assert.ok(!(schedule instanceof Error));
  assert.equal(schedule(created), undefined);
});
