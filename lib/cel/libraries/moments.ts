import { durationType, stringType, timestampType } from "../types/mod.ts";
import { civil, type Duration, type Timestamp, toTimestamp } from "../values/mod.ts";
import { type Library, overload, type Result } from "./library.ts";

/** The day 1 of the year 1, from which Go counts when it truncates times. */
const firstDay = -62_135_596_800n * 1_000_000_000n;

function truncate(time: Timestamp, { nanos }: Duration): Result {
  if (nanos <= 0n) return time;
  return toTimestamp(time.total - (time.total - firstDay) % nanos, time.offset);
}

/** The minute, hour, day, month and weekday of a time in its zone. */
function cron({ seconds, offset }: Timestamp): string {
  const { minute, hour, day, month, weekday } = civil(seconds + offset);
  return `${minute} ${hour} ${day} ${month} ${weekday}`;
}

/** Times: `time.now()`, `time.truncate(time, duration)`, and `time.toCron(time)`. */
export const momentsLibrary: Library = {
  name: "kyverno.time",
  functions: [
    {
      name: "time.now",
      overloads: [
        overload({
          id: "time_now",
          takes: [],
          gives: timestampType,
          callOut: (external) => {
            return toTimestamp(BigInt(Math.trunc(external.now())) * 1_000_000n);
          },
        }),
      ],
    },
    {
      name: "time.truncate",
      overloads: [
        overload({
          id: "time_truncate",
          takes: [timestampType, durationType],
          gives: timestampType,
          call: truncate,
        }),
      ],
    },
    {
      name: "time.toCron",
      overloads: [
        overload({ id: "time_to_cron", takes: [timestampType], gives: stringType, call: cron }),
      ],
    },
  ],
};
