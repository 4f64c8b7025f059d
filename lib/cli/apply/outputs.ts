import { dirname } from "node:path";
import { Fault } from "../../json/mod.ts";
import {
  type ReportedObject,
  type ReportEnd,
  reportFormats,
  type ReportOptions,
  type ReportWriter,
} from "../../report/mod.ts";
import { didYouMean, fileProblem } from "../../diagnostics/mod.ts";
import { OutputClosed, type Terminal } from "../terminal.ts";

/** The outputs that `--output` names. */
export interface OutputChoice {
  /** The reports: a format, and the file to write it to, `-` for standard output. */
  readonly reports: readonly { readonly format: string; readonly path: string }[];
  /** The path for changed and generated objects; `undefined` for standard output. */
  readonly objects: string | undefined;
}

/** Separates reports (`sarif=report.sarif`) from the path for objects. A fault names an invalid value. */
export function outputChoice(values: readonly string[]): OutputChoice | Fault {
  const reports: { format: string; path: string }[] = [];
  let objects: string | undefined;
  for (const value of values) {
    const at = value.indexOf("=");
    const format = value.slice(0, Math.max(0, at));
    if (at > 0 && reportFormats.has(format)) reports.push({ format, path: value.slice(at + 1) || "-" });
    else if (at > 0 && !format.includes("/")) {
      const meant = didYouMean(format, reportFormats.keys());
      const names = [...reportFormats.keys()].join(", ");
      const hint = meant === undefined ? `there are ${names}` : `did you mean "${meant}"?`;
      return new Fault(`--output ${value}: there is no format "${format}"; ${hint}`);
    } else objects = value;
  }
  const printed = reports.filter(({ path }) => path === "-").length;
  if (printed > 1) return new Fault("only one report can be written to standard output");
  return { reports, objects };
}

/** Writes reports while the command decides objects. */
export class ReportFiles implements AsyncDisposable {
  readonly #open: { readonly writer: ReportWriter; readonly write: (text: string) => Promise<void> }[] = [];
  readonly #files: Deno.FsFile[] = [];

  /** Opens the files. A fault names the file that it cannot write. */
  static async open(
    reports: OutputChoice["reports"],
    options: ReportOptions,
    terminal: Terminal,
  ): Promise<ReportFiles | Fault> {
    const opened = new ReportFiles();
    for (const { format, path } of reports) {
      const writer = reportFormats.get(format)!.open(options);
      if (path === "-") opened.#open.push({ writer, write: lineByLine(terminal) });
      else {
        try {
          await Deno.mkdir(dirname(path), { recursive: true });
          const file = await Deno.open(path, { write: true, create: true, truncate: true });
          opened.#files.push(file);
          opened.#open.push({ writer, write: intoFile(file, path) });
        } catch (cause) {
          await opened[Symbol.asyncDispose]();
          return new Fault(
            `cannot write to ${path}: ${fileProblem(cause, "write")}`,
          );
        }
      }
    }
    return opened;
  }

  async add(object: ReportedObject): Promise<void> {
    for (const { writer, write } of this.#open) await write(writer.add(object));
  }

  async end(end: ReportEnd): Promise<void> {
    for (const { writer, write } of this.#open) await write(writer.end(end));
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.splice(0)) file.close();
    return Promise.resolve();
  }
}

/** Writes text to a terminal line by line; the terminal adds the line breaks. */
function lineByLine(terminal: Terminal): (text: string) => Promise<void> {
  let pending = "";
  return (text) => {
    pending += text;
    const end = pending.lastIndexOf("\n");
    if (end >= 0) {
      terminal.out(pending.slice(0, end));
      pending = pending.slice(end + 1);
    }
    return Promise.resolve();
  };
}

/** Writes text to a file. A full disk ends the command: a report that lacks a part would pass for a whole one. */
function intoFile(file: Deno.FsFile, path: string): (text: string) => Promise<void> {
  const encoder = new TextEncoder();
  return async (text) => {
    const bytes = encoder.encode(text);
    try {
      for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
    } catch (cause) {
      throw new OutputClosed(cause, path);
    }
  };
}
