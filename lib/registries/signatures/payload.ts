import { Fault, hasRepeatedNames, isFault, type Json, parseJson } from "../../json/mod.ts";

/** Bytes of heap of a payload: what signers sign, such as a list of packages, is seldom larger. */
const mostHeap = 32_000_000;

/**
 * Parses JSON that an unknown signer may have made; the fault says what the JSON of this name is not. An object with a
 * name twice is refused: the signer may have read another value than Postern would.
 */
export function readPayload(text: string, name: string): Json | Fault {
  const value = parseJson(text, mostHeap);
  if (value === undefined) return new Fault(`${name} is no JSON, or takes too much memory`);
  return hasRepeatedNames(text, value) ? new Fault(`${name} has a name twice in one object`) : value;
}

/** Parses JSON as {@link readPayload} does, where nobody reads why it is refused. */
export function parsePayload(text: string): Json | undefined {
  const value = readPayload(text, "");
  return isFault(value) ? undefined : value;
}
