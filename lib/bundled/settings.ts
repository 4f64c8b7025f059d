import { linesLost, type LogLevel } from "../adapters/mod.ts";

/** Returns the setting of a name; `undefined` when it is not set or empty. */
export type Settings = (name: string) => string | undefined;

/** Reads settings from a record, such as a worker's variables and secrets. It ignores values that are not texts. */
export function textSettings(values: Readonly<Record<string, unknown>>): Settings {
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

/** The most characters of lines that wait for a reader. */
const mostHeld = 1024 * 1024;

/**
 * Writes lines to the console. Node.js keeps those that nobody reads; beyond a bound they are lost, and counted.
 */
export function consoleLines(): (line: string) => void {
  let lost = 0;
  return (line) => {
    const { process } = globalThis as { process?: { stderr?: { writableLength?: number } } };
    if ((process?.stderr?.writableLength ?? 0) > mostHeld) return void lost++;
    const text = lost === 0 ? line : `${lostLines(lost)}\n${line}`;
    lost = 0;
    // deno-lint-ignore no-console
    console.error(text);
  };
}

/** The line about lines that were lost. */
export function lostLines(lines: number): string {
  return JSON.stringify({ level: "warn", message: linesLost, lines });
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** `POSTERN_LOG_LEVEL`; anything but a level is `info`. */
export function logLevelOf(settings: Settings): LogLevel {
  const text = settings("POSTERN_LOG_LEVEL");
  return levels.find((level) => level === text) ?? "info";
}
