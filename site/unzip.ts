/** Reads a ZIP archive, for tests of what people save. */
import { unzipSync } from "fflate";

/** The files of an archive by their names. */
export function unzip(bytes: Uint8Array): Readonly<Record<string, Uint8Array>> {
  return unzipSync(bytes);
}
