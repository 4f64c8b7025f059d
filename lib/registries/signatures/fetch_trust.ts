import { Fault, isFault } from "../../json/mod.ts";
import { publicMirror } from "./public_trust.ts";
import { readTrustedRoot } from "./trust.ts";

/** The TUF repository from which a trusted root is fetched. */
export interface TrustSource {
  /** A TUF repository; sigstore's public one when absent. */
  readonly mirror?: string;
  /** A file with the TUF root that verifies the repository; not needed for sigstore's public one. */
  readonly root?: string;
  /** A folder for the library's cache. */
  readonly folder: string;
}

const longestFetch = 10_000;

/** Fetches a trusted root from a TUF repository; the library verifies it with the repository's TUF root. */
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
      timeout: longestFetch,
      force: true,
      ...(root !== undefined && { rootPath: root }),
    });
    const text = await client.getTarget("trusted_root.json");
    const read = await readTrustedRoot(text);
    return isFault(read) ? read : text;
  } catch (cause) {
    return new Fault(`cannot fetch the trusted root from ${mirror}: ${innermostMessage(cause)}`);
  }
}

/** The message of the innermost cause. */
function innermostMessage(cause: unknown): string {
  let reason = cause;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}
