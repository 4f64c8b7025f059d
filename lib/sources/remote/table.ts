import { gitRepository } from "./git_repository.ts";
import { httpsFile } from "./https_file.ts";
import type { RemoteSource } from "./remote_source.ts";

/**
 * Every kind of addresses; the first that accepts one reads it. A new kind is a file with such a record and a line
 * here.
 */
const remoteSources: readonly RemoteSource[] = [httpsFile, gitRepository];

/** The source that reads an address; `undefined` for a local path. */
export function remoteSourceOf(path: string): RemoteSource | undefined {
  return remoteSources.find((source) => source.accepts(path));
}
