import { type Json, parseJson } from "../../json/mod.ts";

/** Bytes of heap of a payload: what signers sign, such as a list of packages, is seldom larger. */
const MOST_HEAP = 32_000_000;

/** Parses JSON that an unknown signer may have made; `undefined` when it is none or takes too much memory. */
export function parsePayload(text: string): Json | undefined {
  return parseJson(text, MOST_HEAP);
}
