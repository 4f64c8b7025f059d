import { Fault, isFault } from "../../json/mod.ts";
import { publicMirror } from "./public_trust.ts";
import { readTrustedRoot } from "./trust.ts";

/** Where a trusted root is fetched from. */
export interface TrustSource {
  /** A TUF repository; sigstore's public one when absent. */
  readonly mirror?: string;
  /** A file with the TUF root that the repository is trusted by; the public one's is known. */
  readonly root?: string;
  /** A folder for what the library keeps between steps. */
  readonly folder: string;
}

const MILLISECONDS = 10_000;

/** Fetches a trusted root from a TUF repository, which proves it by the TUF root that the caller has. */
export async function fetchTrustedRoot(
  { mirror = publicMirror, root, folder }: TrustSource,
): Promise<string | Fault> {
  if (root === undefined && mirror !== publicMirror) {
    return new Fault(`the mirror ${mirror} needs a file with its TUF root`);
  }
  const { initTUF } = await import("@sigstore/tuf");
  try {
    const client = await initTUF({
      mirrorURL: mirror,
      cachePath: folder,
      timeout: MILLISECONDS,
      force: true,
      ...(root !== undefined && { rootPath: root }),
    });
    const text = await client.getTarget("trusted_root.json");
    const read = await readTrustedRoot(text);
    return isFault(read) ? read : text;
  } catch (cause) {
    return new Fault(`cannot fetch the trusted root from ${mirror}: ${wordsOf(cause)}`);
  }
}

/** The innermost reason. */
function wordsOf(cause: unknown): string {
  let reason = cause;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}
