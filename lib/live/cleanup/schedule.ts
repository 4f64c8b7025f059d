import { Cron } from "croner";

/** Returns when a schedule is due next after a time, in milliseconds since 1970. */
export type Schedule = (after: number) => number | undefined;

/** The names of common schedules that Kyverno reads besides the five fields of cron, in UTC. */
const names: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Reads a cron schedule; an error says what is wrong with it. */
export function compileSchedule(text: string): Schedule | Error {
  try {
    const cron = new Cron(names[text] ?? text, { mode: "5-part", timezone: "UTC" });
    return (after) => cron.nextRun(new Date(after))?.getTime();
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/** Why a text is no cron schedule; `undefined` when it is one. */
export function scheduleProblem(text: string): string | undefined {
  const schedule = compileSchedule(text);
  return schedule instanceof Error ? `"${text}" is not a cron schedule: ${schedule.message}` : undefined;
}
