import type { ReadFiles } from "../../adapters/mod.ts";
import type { Fault } from "../../json/mod.ts";
import type { GitOptions } from "../git.ts";

/** A kind of addresses from which files are read once. */
export interface RemoteSource {
  /** Whether it reads the address. */
  accepts(address: string): boolean;
  /** Reads the files. Those that cannot be read are diagnostics. */
  read(address: string, options: GitOptions): Promise<ReadFiles>;
}

/** The diagnostic of an address that cannot be read; the address stands before its message, once. */
export function unreadable(file: string, fault: Fault): ReadFiles {
  const position = { file, line: 1, column: 1 };
  const message = fault.message.replace(`${file}: `, "");
  return { files: [], diagnostics: [{ severity: "error", code: "unreadable-address", message, position }] };
}
