import { isList, isObject, type Json, setField } from "../json/mod.ts";
import type { Clock, Log } from "../ports.ts";

/** The level of a line. A log has a level too and writes the lines that are at or above it. */
export type LogLevel = "debug" | "info" | "warn" | "error";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Names of fields whose values the log never writes. */
const secretName =
  /authori[sz]ation|cookie|credential|passw(?:or)?d|private.?key|secret$|token|api.?key|client.?key/i;

const hiddenText = "[hidden]";
const maxText = 4_096;
const maxDepth = 8;
const maxItems = 64;

/** The clock, the receiver of lines and the level of a {@link jsonLog}. */
export interface JsonLogOptions {
  readonly clock: Clock;
  /** Takes one line, without the line break. */
  readonly write: (line: string, level: LogLevel) => void;
  /** `info` when absent. */
  readonly level?: LogLevel;
}

/**
 * A log that writes JSON lines: `time`, `level`, `message`, then the fields. It writes `[hidden]` instead of the
 * contents of Secret objects and of values whose names suggest a secret. It cuts long texts, long lists and deep
 * values.
 *
 * ```ts
 * import { jsonLog } from "./log.ts";
 * import assert from "node:assert/strict";
 * const lines: string[] = [];
 * const log = jsonLog({ clock: { now: () => 0 }, write: (line) => lines.push(line) });
 * log.write("info", "request", { uid: "a", token: "s3cret" });
 * log.write("debug", "too quiet to be written");
 * assert.deepEqual(lines, [
 *   '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"request","uid":"a","token":"[hidden]"}',
 * ]);
 * ```
 */
export function jsonLog({ clock, write, level = "info" }: JsonLogOptions): Log {
  const least = levels.indexOf(level);
  const timeText = isoTimes();
  const writes = (lineLevel: LogLevel): boolean => levels.indexOf(lineLevel) >= least;
  return {
    writes,
    write(lineLevel, message, fields) {
      if (!writes(lineLevel)) return;
      const time = timeText(clock.now());
      const line: { [key: string]: Json } = { time, level: lineLevel, message: cut(message) };
      for (const name in fields) if (!head.has(name)) setField(line, name, showable(name, fields[name]!, 0));
      write(JSON.stringify(line).replace(acting, escaped), lineLevel);
    },
  };
}

/**
 * The characters that JSON leaves as they are, and on which terminals act, or that change the order in which a line is
 * shown: whoever reads the log of a pod would see what callers want.
 */
const acting = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Writes times as `Date.toISOString` does, and keeps the text of the second: to make all of it for each line would be a
 * third of what a line costs.
 */
function isoTimes(): (milliseconds: number) => string {
  let second = NaN, text = "";
  return (milliseconds) => {
    const now = Math.floor(milliseconds / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toISOString().slice(0, -"000Z".length);
    }
    return `${text}${String(Math.floor(milliseconds) - now * 1000).padStart(3, "0")}Z`;
  };
}

/** Writes a line to standard error, where logs belong when standard output carries results. */
export function writeToStandardError(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stderr.writeSync(bytes.subarray(written));
}

/** The fields that every line has; other fields cannot replace them. */
const head: ReadonlySet<string> = new Set(["time", "level", "message"]);

/** The value as the log writes it: without secrets, and with long texts, long lists and deep values cut. */
function showable(name: string, value: Json, depth: number): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  // Items of lists have no name.
  if (name !== "" && secretName.test(name)) return hiddenText;
  if (typeof value === "string") return cut(value);
  if (depth >= maxDepth) return isList(value) || isObject(value) ? "[deep]" : value;
  if (isList(value)) return value.slice(0, maxItems).map((item) => showable("", item, depth + 1));
  if (!isObject(value)) return value;
  const isSecret = Object.hasOwn(value, "kind") && value["kind"] === "Secret";
  const shown: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value).slice(0, maxItems)) {
    const hide = isSecret && (key === "data" || key === "stringData");
    setField(shown, key, hide ? hiddenText : showable(key, item, depth + 1));
  }
  return shown;
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}… (${text.length} characters)`;
}
