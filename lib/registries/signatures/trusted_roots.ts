import { BoundedCache, Fault, isFault } from "../../json/mod.ts";
import type { LogTrust } from "../../ports.ts";
import type { RootSource } from "./cosign_signer.ts";
import { readTrustedRoot, type TrustedRoot } from "./trust.ts";

/** The text of a trusted root: the installation's, or that of a TUF mirror; `undefined` when there is none. */
export type TrustedRootText = (mirror: string) => Promise<string | undefined>;

const maxKept = 20;

/** Parses trusted roots, each text once. */
export class TrustedRoots {
  readonly #text: TrustedRootText | undefined;
  readonly #read = new BoundedCache<Promise<TrustedRoot | Fault>>(maxKept);

  constructor(text: TrustedRootText | undefined) {
    this.#text = text;
  }

  /** The trusted root for an entry of a policy: the entry's, or else that of its TUF mirror or the installation. */
  source({ trustedRoot, tufMirror }: LogTrust): RootSource {
    return async () => {
      if (trustedRoot !== "") return await this.#parsed(trustedRoot);
      const text = await this.#text?.(tufMirror);
      if (text !== undefined) return await this.#parsed(text);
      return new Fault(
        tufMirror === ""
          ? "there is no trusted root: name one with --trusted-root, or keys and roots in the policy"
          : `there is no trusted root of the mirror ${tufMirror}: fetch it with postern trust update`,
      );
    };
  }

  async #parsed(text: string): Promise<TrustedRoot | Fault> {
    const root = await this.#read.getOrMake(text, () => readTrustedRoot(text));
    return isFault(root) ? new Fault(`the trusted root cannot be read: ${root.message}`) : root;
  }
}
