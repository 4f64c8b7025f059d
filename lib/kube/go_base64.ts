import { Fault } from "../json/mod.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) values[alphabet.charCodeAt(index)] = index;

/**
 * Decodes padded standard base64 as Go does: it skips line breaks anywhere and requires padding. The fault has the
 * offset of the invalid byte.
 */
export function decodeBase64(text: string): Uint8Array | Fault {
  const source = new TextEncoder().encode(text);
  const bytes = new Uint8Array(Math.ceil(source.length * 3 / 4));
  let size = 0, at = 0;
  const corrupt = (offset: number): Fault => new Fault(`illegal base64 data at input byte ${offset}`);
  const skipLineEnds = (): void => {
    while (source[at] === 0x0a || source[at] === 0x0d) at++;
  };
  for (;;) {
    let bits = 0, count = 0, padded = false;
    while (count < 4) {
      skipLineEnds();
      if (at >= source.length) {
        if (count === 0) return bytes.subarray(0, size);
        return corrupt(at - count);
      }
      const byte = source[at++]!;
      const value = byte < 128 ? values[byte]! : -1;
      if (value >= 0) {
        bits = bits << 6 | value;
        count++;
        continue;
      }
      if (byte !== 0x3d || count < 2) return corrupt(at - 1);
      if (count === 2) {
        skipLineEnds();
        if (at >= source.length) return corrupt(source.length);
        if (source[at] !== 0x3d) return corrupt(at - 1);
        at++;
      }
      skipLineEnds();
      if (at < source.length) return corrupt(at);
      padded = true;
      break;
    }
    bits <<= 6 * (4 - count);
    for (let byte = 0; byte < count - 1; byte++) bytes[size++] = bits >> (16 - 8 * byte) & 0xff;
    if (padded) return bytes.subarray(0, size);
  }
}

/** Encodes bytes as padded standard base64. */
export function encodeBase64(bytes: Uint8Array): string {
  // Node 24 and browsers from before 2025 do not have this method.
  const { toBase64 } = bytes as { toBase64?: () => string };
  if (toBase64 !== undefined) return bytes.toBase64();
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(64 * 1024);

/** Encodes the UTF-8 bytes of a text as padded standard base64. Short texts share one buffer to save allocations. */
export function encodeBase64Text(text: string): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 > scratch.length) return encodeBase64(encoder.encode(text));
  return encodeBase64(scratch.subarray(0, encoder.encodeInto(text, scratch).written));
}
