import { jsonLog, systemClock } from "../adapters/mod.ts";
import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import { isLoopback, type ServeArguments } from "./serve_arguments.ts";
import type { Terminal } from "./terminal.ts";

type Level = "error" | "warn" | "info";

/** The messages of `serve` about itself: how it starts, which policies it has, and that it stops. */
export interface ServeMessages {
  say(level: Level, message: string): void;
  /** Why the server cannot start. */
  refused(problem: string): void;
  diagnosed(diagnostics: readonly Diagnostic[]): void;
}

const levels: Readonly<Record<Diagnostic["severity"], Level>> = {
  error: "error",
  warning: "warn",
  info: "info",
};

/**
 * In a pod each line is JSON, so that a collector of logs can parse it. A user of this machine gets text. A server that
 * answers other machines, and whose output no terminal shows, is taken for one in a pod.
 */
export function serveMessages(terminal: Terminal, { host, logLevel }: ServeArguments): ServeMessages {
  if (isLoopback(host) || terminal.drawsProgress === true) return textMessages(terminal);
  const log = jsonLog({ clock: systemClock(), write: (line) => terminal.err(line), level: logLevel });
  return {
    say: (level, message) => log.write(level, message.trim()),
    refused: (problem) => log.write("error", problem),
    diagnosed(diagnostics) {
      for (const each of diagnostics) {
        log.write(levels[each.severity], formatDiagnostic(each), { code: each.code });
      }
    },
  };
}

function textMessages({ err }: Terminal): ServeMessages {
  return {
    say: (_level, message) => err(message),
    refused: (problem) => err(`error: ${problem}`),
    diagnosed: (diagnostics) => diagnostics.forEach((each) => err(formatDiagnostic(each))),
  };
}
