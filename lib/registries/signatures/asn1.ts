import type { ASN1Obj } from "@sigstore/core";

/**
 * The parts of a parsed ASN.1 value as they stand in the input, each with its tag and length. Signatures are over these
 * bytes; to encode a parsed value again takes ten times as long as to parse it.
 */
export function encodedParts({ value, subs }: ASN1Obj): readonly Uint8Array<ArrayBuffer>[] {
  let start = value.byteOffset;
  return subs.map((sub) => {
    const end = sub.value.byteOffset + sub.value.length;
    const part = new Uint8Array(value.buffer.slice(start, end) as ArrayBuffer);
    start = end;
    return part;
  });
}

/** Encodes a constructed ASN.1 value (DER) from its encoded parts. */
export function encodeParts(tag: number, parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...encodeLength(length)];
  const encoded = new Uint8Array(head.length + length);
  encoded.set(head);
  let at = head.length;
  for (const part of parts) {
    encoded.set(part, at);
    at += part.length;
  }
  return encoded;
}

/** The length of a value in DER: one byte below 128, otherwise the number of bytes and the bytes. */
function encodeLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}
