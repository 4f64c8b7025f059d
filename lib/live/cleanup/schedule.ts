import { Cron } from "croner";
import { BoundedCache } from "../../json/mod.ts";

/** Returns when a schedule is due next after a time, in milliseconds since 1970. */
export type Schedule = (after: number) => number | undefined;

/** The names of common schedules, in UTC. */
const names: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Months and days in full; the cron library reads their first three letters. */
const inFull =
  /^(january|february|march|april|june|july|august|september|october|november|december|(mon|tues|wednes|thurs|fri|satur|sun)day)$/i;

/**
 * Reads a cron schedule; an error says what is wrong with it. Kyverno parity: the sixth of six fields is the year, and
 * with seven the first is the second. Pinned by tests/live/cleanup_times_test.ts.
 */
export function compileSchedule(text: string): Schedule | Error {
  const fields = fieldsOf(text);
  if (fields.length < 5) return new Error(`5 fields are needed, such as "0 3 * * *"`);
  const seconds = fields.length > 6 ? [] : ["0"], years = fields.length > 5 ? [] : ["*"];
  try {
    const cron = new Cron([...seconds, ...fields, ...years].join(" "), {
      mode: "7-part",
      timezone: "UTC",
      // Steps from a number on, such as 5/10.
      sloppyRanges: true,
    });
    return (after) => cron.nextRun(new Date(after))?.getTime();
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/** The most compiled schedules that are kept: each takes 80 KB of heap, and users create policies. */
const mostSchedules = 16;

/** The compiled schedules of many policies, of which most have one of a few texts. */
export class Schedules {
  readonly #compiled = new BoundedCache<Schedule | Error>(mostSchedules);

  /** The compiled schedule of a text; an error says what is wrong with it. */
  of(text: string): Schedule | Error {
    let compiled = this.#compiled.get(text);
    if (compiled === undefined) this.#compiled.set(text, compiled = compileSchedule(text));
    return compiled;
  }

  /** When a text is due next after a time, in milliseconds since 1970; never when it is no schedule. */
  next(text: string, after: number): number | undefined {
    const schedule = this.of(text);
    return schedule instanceof Error ? undefined : schedule(after);
  }
}

function fieldsOf(text: string): string[] {
  return (names[text.trim()] ?? text).split(/\s+/).filter((field) => field !== "")
    .map((field) => field.replace(/[a-z]+/gi, (word) => inFull.test(word) ? word.slice(0, 3) : word));
}

/** Why a text is not a cron schedule, or has too many fields; `undefined` when it is usable. */
export function scheduleProblem(
  text: string,
  { mostFields = 7 }: { readonly mostFields?: number } = {},
): string | undefined {
  if (fieldsOf(text).length > mostFields) {
    return `"${text}" is not a cron schedule of ${mostFields} fields, such as "0 3 * * *"`;
  }
  const schedule = compileSchedule(text);
  return schedule instanceof Error ? `"${text}" is not a cron schedule: ${schedule.message}` : undefined;
}
