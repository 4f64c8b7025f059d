/** Writing DER, for certificates and timestamps that tests make. */

export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = joined(parts);
  const { length } = content;
  const size = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return joined([new Uint8Array([tag, ...size]), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => der(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Uint8Array => der(0x31, ...parts);
export const octets = (...parts: readonly Uint8Array[]): Uint8Array => der(0x04, ...parts);
export const bits = (bytes: Uint8Array): Uint8Array => der(0x03, new Uint8Array([0]), bytes);
export const boolean = (value: boolean): Uint8Array => der(0x01, new Uint8Array([value ? 0xff : 0]));
export const utf8 = (text: string): Uint8Array => der(0x0c, bytesOf(text));
/** A context-specific tag, constructed. */
export const context = (number: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  der(0xa0 | number, ...parts);

export function integer(value: number): Uint8Array {
  const bytes = [value & 0xff];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest & 0xff);
  }
  return der(0x02, new Uint8Array(bytes[0]! >= 0x80 ? [0, ...bytes] : bytes));
}

export function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      groups.unshift(left & 0x7f | 0x80);
    }
    bytes.push(...groups);
  }
  return der(0x06, new Uint8Array(bytes));
}

/** GeneralizedTime in whole seconds. */
export function time(date: Date): Uint8Array {
  return der(0x18, bytesOf(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, "")}Z`));
}

/**
 * A date of a certificate: UTCTime until 2049 (RFC 5280 §4.1.2.5), as others write it again before they check a hash.
 */
export function validity(date: Date): Uint8Array {
  if (date.getUTCFullYear() >= 2050) return time(date);
  return der(0x17, bytesOf(`${date.toISOString().slice(2).replace(/[-:T]|\.\d+Z/g, "")}Z`));
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
