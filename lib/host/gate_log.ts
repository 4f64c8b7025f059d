import { jsonLog, LineBatch, systemClock } from "../adapters/mod.ts";
import type { Log } from "../ports.ts";
import type { GateOptions } from "./gate_options.ts";

/** The log, which writes lines in groups every few milliseconds, and a function that writes the waiting ones. */
export function openLog({ write, logLevel }: GateOptions): { readonly log: Log; flush(): void } {
  const lines = new LineBatch(write);
  const flush = () => lines.flush();
  // However the process ends, also by an error.
  globalThis.addEventListener("unload", flush);
  const log = jsonLog({
    clock: systemClock(),
    write(line, level) {
      lines.add(line);
      // A user who searches for the cause of a crash must find the last lines.
      if (level === "warn" || level === "error") flush();
    },
    level: logLevel,
  });
  return { log, flush };
}
