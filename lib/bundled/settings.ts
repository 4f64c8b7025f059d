import { type LogLevel, writeToStandardError } from "../adapters/mod.ts";

/** A setting by its name; `undefined` when it is not set or empty. */
export type Settings = (name: string) => string | undefined;

/** The settings of this process's environment, on Deno and on Node. What may not be read, and what a platform lacks, is not set. */
export function environmentSettings(): Settings {
  return (name) => {
    if (typeof Deno === "undefined") return nodeEnvironment()[name] || undefined;
    // Asked for, not tried: without the permission a terminal would be prompted.
    if (Deno.permissions?.querySync?.({ name: "env", variable: name }).state === "prompt") return undefined;
    try {
      return Deno.env.get(name) || undefined;
    } catch {
      return undefined;
    }
  };
}

/** The settings in a record, as a worker is given its variables and secrets. What is no text is not set. */
export function textSettings(values: Readonly<Record<string, unknown>>): Settings {
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

function nodeEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}

/** Writes lines of the log where the runtime keeps them: to standard error, or to the console where that is all there is. */
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
