import { jsonLog, linesLost, systemClock } from "../adapters/mod.ts";
import type { Log } from "../ports.ts";
import type { GateOptions } from "./gate_options.ts";

/** The log, which writes lines together, 20 times a second. */
export function openLog({ lines, logLevel }: GateOptions): Log {
  const log = jsonLog({
    clock: systemClock(),
    write(line, level) {
      lines.add(line);
      // A user who searches for the cause of a crash must find the last lines.
      if (level === "warn" || level === "error") lines.flush();
    },
    level: logLevel,
  });
  lines.whenLost((count) => log.write("warn", linesLost, { lines: count }));
  return log;
}
