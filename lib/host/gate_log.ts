import { jsonLog, LineBatch, systemClock } from "../adapters/mod.ts";
import type { Log } from "../ports.ts";
import type { GateOptions } from "./gate_options.ts";

/** The log, whose lines are written some milliseconds at a time, and what writes those that wait. */
export function openLog({ write, logLevel }: GateOptions): { readonly log: Log; flush(): void } {
  const lines = new LineBatch(write);
  const flush = () => lines.flush();
  // However the process ends, by an error of its own too.
  globalThis.addEventListener("unload", flush);
  const log = jsonLog({
    clock: systemClock(),
    write(line, level) {
      lines.add(line);
      // A user who looks for the cause of a crash must find it.
      if (level === "warn" || level === "error") flush();
    },
    level: logLevel,
  });
  return { log, flush };
}
