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

/** The diagnostic of an address that cannot be read. */
export function unreadable(file: string, { message }: Fault): ReadFiles {
  const position = { file, line: 1, column: 1 };
  return { files: [], diagnostics: [{ severity: "error", code: "unreadable-address", message, position }] };
}
