import { type LogLevel, writeToStandardError } from "../adapters/mod.ts";

/** Returns the setting of a name; `undefined` when it is not set or empty. */
export type Settings = (name: string) => string | undefined;

/** Reads settings from a record, such as a worker's variables and secrets. It ignores values that are not texts. */
export function textSettings(values: Readonly<Record<string, unknown>>): Settings {
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

/** A log that writes each line to standard error, or to the console in a runtime that has no standard error. */
export function writeLogLine(line: string): void {
  if (typeof Deno !== "undefined") return writeToStandardError(line);
  // deno-lint-ignore no-console
  console.error(line);
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** `POSTERN_LOG_LEVEL`; anything but a level is `info`. */
export function logLevelOf(settings: Settings): LogLevel {
  const text = settings("POSTERN_LOG_LEVEL");
  return levels.find((level) => level === text) ?? "info";
}
