import type { Fault } from "../../json/mod.ts";
import type { SignatureQuery, SignatureTried, Statement } from "../../ports.ts";
import type { TaskTurns } from "../../adapters/mod.ts";
import type { CachedContent } from "../registry/cached_content.ts";
import type { RegistryAccess } from "../registry/registry_reader.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import type { CheckPorts } from "./cosign_signature.ts";
import type { RootSource } from "./cosign_signer.ts";
import type { BundleChecker } from "./bundle_checker.ts";

/** A query whose image was found, with everything that verification needs. */
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
  /** Limits how many signatures this process checks at a time. */
  readonly checks: TaskTurns;
  /** The deadline, a time of `elapsedOn`. */
  readonly until: number;
}

/** The result of an {@link Inquiry}: the statements of the verified attestations, or why verification failed. */
export type Verdict =
  | {
    readonly ok: true;
    readonly statements: readonly Statement[];
    readonly tried: readonly SignatureTried[];
    /** When the verdict expires; `undefined` when it does not. */
    readonly until: Date | undefined;
  }
  | {
    readonly ok: false;
    readonly why: "not verified" | "no connection";
    readonly message: string;
    readonly tried: readonly SignatureTried[];
  };

/** The verdict that an image is not verified, in Kyverno's words. */
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

/** The verdict that an image is not verified, because a text cannot be read. */
export function faulty({ message }: Fault): Verdict {
  return unverified(message);
}
