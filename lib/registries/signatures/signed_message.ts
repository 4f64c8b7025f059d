import { encodeBase64 } from "../../kube/mod.ts";
import type { Hash, PublicKey } from "./public_key.ts";

/**
 * A message whose signatures are verified once each: the entry of a log repeats the signature beside it. A verdict
 * counts for this message, key, signature and hash alone.
 */
export class SignedMessage {
  readonly bytes: Uint8Array;
  readonly #verdicts = new Map<string, Promise<string | undefined>>();

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Why a signature of the message does not verify, in sigstore's words; `undefined` when it does. */
  async refuses(key: PublicKey, signature: Uint8Array, hash: Hash): Promise<string | undefined> {
    const name = `${hash} ${encodeBase64(key.spki)} ${encodeBase64(signature)}`;
    let verdict = this.#verdicts.get(name);
    if (verdict === undefined) {
      verdict = key.refuses({ message: this.bytes, signature, hash });
      this.#verdicts.set(name, verdict);
    }
    return await verdict;
  }
}
