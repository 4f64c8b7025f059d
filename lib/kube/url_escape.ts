import { Fault } from "../json/mod.ts";

/** The parts of a URL. Each part allows different characters without an escape. */
export type Component = "path" | "user" | "query" | "host" | "zone" | "fragment";

/** The characters that each part may have unescaped, besides letters, digits and `-_.~`. */
const plain: Readonly<Record<Component, string>> = {
  path: "$&+,/:;=@",
  user: "$&+,;=",
  query: "",
  host: `!$&'()*+,;=:[]<>"`,
  zone: `!$&'()*+,;=:[]<>"`,
  fragment: "$&+,/:;=?@!()*",
};

/** The bytes that are converted together, as arguments of one call. */
const chunk = 8_192;

/** Converts a text to a string of its UTF-8 bytes, one character for each byte, because escapes encode bytes. */
export function toBytes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const bytes = new TextEncoder().encode(text), parts: string[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)));
  }
  return parts.join("");
}

/** Converts a string of bytes to a text. */
export function fromBytes(bytes: string): string {
  if (!/[^\0-\x7f]/.test(bytes)) return bytes;
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

function isPlain(byte: string, component: Component): boolean {
  return /^[A-Za-z0-9\-_.~]$/.test(byte) || plain[component].includes(byte);
}

/** Escapes a string of bytes for a part of a URL. */
export function escape(bytes: string, component: Component): string {
  return bytes.replace(/[^A-Za-z0-9\-_.~]/g, (byte) => {
    if (plain[component].includes(byte)) return byte;
    if (byte === " " && component === "query") return "+";
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/**
 * Decodes the escapes of a part of a URL. The fault names the invalid escape. Parts are joined at the end: a text of
 * 3 MB to which characters are appended takes 90 MB.
 */
export function unescape(text: string, component: Component): string | Fault {
  const parts: string[] = [], isHost = component === "host" || component === "zone";
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]!;
    if (byte === "%") {
      const decoded = decodedEscape(text.slice(index, index + 3), component);
      if (decoded instanceof Fault) return decoded;
      parts.push(text.slice(from, index), decoded);
      index += 2;
      from = index + 1;
    } else if (byte === "+" && component === "query") {
      parts.push(text.slice(from, index), " ");
      from = index + 1;
    } else if (isHost && byte < "\x80" && !isPlain(byte, component)) {
      return new Fault(`invalid character ${JSON.stringify(byte)} in host name`);
    }
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/**
 * The byte of an escape. Hosts may escape only characters outside ASCII, and `%25` before the zone of an IPv6
 * address.
 */
function decodedEscape(escaped: string, component: Component): string | Fault {
  const wrong = new Fault(`invalid URL escape ${JSON.stringify(escaped)}`);
  if (!/^%[0-9A-Fa-f]{2}$/.test(escaped)) return wrong;
  const decoded = String.fromCharCode(parseInt(escaped.slice(1), 16));
  if (component === "host" && decoded < "\x80" && escaped !== "%25") return wrong;
  const isOfZone = escaped === "%25" || decoded === " " || isPlain(decoded, "host");
  return component === "zone" && !isOfZone ? wrong : decoded;
}
