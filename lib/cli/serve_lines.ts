import { LineBatch } from "../adapters/mod.ts";
import type { Terminal } from "./terminal.ts";

/** The lines that `serve` writes to standard error while it runs, which wait for no reader. */
export function serveLines(terminal: Terminal): LineBatch {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const lines = new LineBatch(
    terminal.errLater ?? ((bytes) => terminal.err(decoder.decode(bytes).slice(0, -1))),
  );
  // However the process ends, also by an error: a user who searches for the cause must find the last lines.
  globalThis.addEventListener("unload", () => {
    const rest = lines.take();
    if (rest !== "") terminal.err(rest.slice(0, -1));
  });
  return lines;
}

/** The terminal of a `serve` that runs: it writes with the lines of the log. */
export function behindLog(terminal: Terminal, lines: LineBatch): Terminal {
  return {
    ...terminal,
    err(line) {
      lines.add(line);
      lines.flush();
    },
  };
}
