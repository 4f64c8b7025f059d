import { isFault } from "../../json/mod.ts";
import { decodeBase64, encodeBase64 } from "../../kube/mod.ts";

/**
 * Returns the blocks of one type in a PEM text, in their order. It passes over other text, as Go's `pem.Decode` does.
 *
 * ```ts
 * import { pemBlocks, toPem } from "./pem.ts";
 * import assert from "node:assert/strict";
 * const text = toPem("THING", new Uint8Array([1, 2, 3]));
 * assert.equal(text, "-----BEGIN THING-----\nAQID\n-----END THING-----\n");
 * assert.deepEqual(pemBlocks(`note\n${text}${text}`, "THING").map((block) => [...block]), [[1, 2, 3], [1, 2, 3]]);
 * assert.deepEqual(pemBlocks(text, "OTHER"), []);
 * ```
 */
export function pemBlocks(text: string, type: string): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  const begin = `-----BEGIN ${type}-----`, end = `-----END ${type}-----`;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const start = at + begin.length;
    const stop = text.indexOf(end, start);
    if (stop < 0) break;
    const bytes = base64Bytes(text.slice(start, stop));
    if (bytes !== undefined && (at === 0 || text[at - 1] === "\n")) blocks.push(bytes);
    at = stop;
  }
  return blocks;
}

/** Bytes as PEM with lines of 64 characters. */
export function toPem(type: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}

/** Whether the runtime has `Uint8Array.fromBase64`: Node.js 24 does not. */
export const decodesBase64 = (Uint8Array as { fromBase64?: unknown }).fromBase64 !== undefined;

/** Decodes standard base64 and ignores white space; `undefined` when the text is no base64. */
export function base64Bytes(text: string): Uint8Array | undefined {
  const standard = text.replace(/\s+/g, "");
  try {
    if (decodesBase64) return Uint8Array.fromBase64(standard, { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
  const bytes = decodeBase64(standard);
  return isFault(bytes) || encodeBase64(bytes) !== standard ? undefined : bytes;
}

/** The text of base64; empty for what is none. */
export function base64Text(text: string): string {
  const bytes = base64Bytes(text);
  return bytes === undefined ? "" : new TextDecoder().decode(bytes);
}
