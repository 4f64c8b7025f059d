const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Bytes as text, with U+FFFD for each byte that belongs to no character, as Go writes such a string in JSON. The
 * platform's decoder puts one for several bytes.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeBroken(bytes);
  }
}

function decodeBroken(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    parts.push(length === 0 ? "\ufffd" : lenient.decode(bytes.subarray(at, at + length)));
    at += Math.max(1, length);
  }
  return parts.join("");
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
