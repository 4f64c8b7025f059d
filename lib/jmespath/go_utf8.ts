const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true });

/**
 * Bytes as text, with U+FFFD for each byte that belongs to no character, as Go writes such a string in JSON. The
 * platform's decoder puts one for several bytes.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  // A decoder that throws takes ten microseconds for each text.
  const text = utf8.decode(bytes);
  return text.includes("\ufffd") ? decodeBroken(bytes) : text;
}

function decodeBroken(bytes: Uint8Array): string {
  const units = new DataView(new ArrayBuffer(2 * bytes.length));
  let size = 0;
  const write = (unit: number): void => {
    units.setUint16(size, unit, true);
    size += 2;
  };
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    const point = length === 0 ? 0xfffd : pointAt(bytes, at, length);
    if (point > 0xffff) write(0xd7c0 + (point >> 10));
    write(point > 0xffff ? 0xdc00 | point & 0x3ff : point);
    at += Math.max(1, length);
  }
  return utf16.decode(new Uint8Array(units.buffer, 0, size));
}

/** The code point of a legal character of so many bytes. */
function pointAt(bytes: Uint8Array, at: number, length: number): number {
  let point = length === 1 ? bytes[at]! : bytes[at]! & (0xff >> (length + 1));
  for (let index = 1; index < length; index++) point = point << 6 | bytes[at + index]! & 0x3f;
  return point;
}

/** How many bytes the character that begins there has; 0 when none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0;
  for (let index = 1; index < length; index++) {
    if ((bytes[at + index]! & 0xc0) !== 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond Unicode show in the second byte.
  const second = bytes[at + 1]!;
  const isLegal = !(first === 0xe0 && second < 0xa0) && !(first === 0xed && second > 0x9f) &&
    !(first === 0xf0 && second < 0x90) && !(first === 0xf4 && second > 0x8f);
  return isLegal ? length : 0;
}
