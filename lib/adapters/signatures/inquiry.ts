import type { Fault } from "../../json/mod.ts";
import type { SignatureQuery, SignatureTried, Statement } from "../../ports.ts";
import type { Limit } from "../limit.ts";
import type { CachedContent } from "../registry/cached_content.ts";
import type { RegistryAccess } from "../registry/connection.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import type { CheckPorts } from "./cosign_signature.ts";
import type { RootSource } from "./cosign_trust.ts";
import type { BundleChecker } from "./bundle_checker.ts";

/** A question whose image was found, and what is needed to answer it. */
export interface Inquiry {
  readonly query: SignatureQuery;
  /** The image's digest. */
  readonly digest: string;
  readonly access: RegistryAccess;
  /** Access to the repository that holds the signatures. */
  readonly signatureAccess: RegistryAccess;
  readonly content: CachedContent;
  readonly root: RootSource;
  readonly ports: CheckPorts;
  readonly bundles: BundleChecker;
  /** How many signatures are checked at a time in this process. */
  readonly checks: Limit;
  /** Milliseconds since 1970 when all must be over. */
  readonly until: number;
}

/** The result of an {@link Inquiry}: the statements of the verified attestations, or why verification failed. */
export type Verdict =
  | {
    readonly ok: true;
    readonly statements: readonly Statement[];
    readonly tried: readonly SignatureTried[];
    /** When the verdict ends by itself. */
    readonly until: Date | undefined;
  }
  | {
    readonly ok: false;
    readonly why: "not verified" | "no connection";
    readonly message: string;
    readonly tried: readonly SignatureTried[];
  };

/** A verdict against the image, with Kyverno's words. */
export function unverified(message: string, tried: readonly SignatureTried[] = []): Verdict {
  return { ok: false, why: "not verified", message, tried };
}

/**
 * The verdict for a registry that refused a read. Without any answer from the registry the verdict is `no
 * connection`, because nothing shows whether the image is signed.
 */
export function refusedBy({ reached, message }: RegistryFault, words = message): Verdict {
  return { ok: false, why: reached ? "not verified" : "no connection", message: words, tried: [] };
}

/** A verdict against the image for a text that cannot be read. */
export function faulty({ message }: Fault): Verdict {
  return unverified(message);
}
