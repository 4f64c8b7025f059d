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

/** Converts a text to a string of its UTF-8 bytes, one character for each byte, because escapes encode bytes. */
export function toBytes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  let result = "";
  for (const byte of new TextEncoder().encode(text)) result += String.fromCharCode(byte);
  return result;
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
  let result = "";
  for (const byte of bytes) {
    if (isPlain(byte, component)) result += byte;
    else if (byte === " " && component === "query") result += "+";
    else result += `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

/** Decodes the escapes of a part of a URL. The fault names the invalid escape. */
export function unescape(text: string, component: Component): string | Fault {
  let result = "";
  const isHost = component === "host" || component === "zone";
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]!;
    if (byte === "%") {
      const escaped = text.slice(index, index + 3);
      const wrong = new Fault(`invalid URL escape ${JSON.stringify(escaped)}`);
      if (!/^%[0-9A-Fa-f]{2}$/.test(escaped)) return wrong;
      const decoded = String.fromCharCode(parseInt(escaped.slice(1), 16));
      // Hosts may escape only characters outside ASCII, and `%25` before the zone of an IPv6 address.
      if (component === "host" && decoded < "\x80" && escaped !== "%25") return wrong;
      if (component === "zone" && escaped !== "%25" && decoded !== " " && !isPlain(decoded, "host")) {
        return wrong;
      }
      result += decoded;
      index += 2;
    } else if (byte === "+" && component === "query") result += " ";
    else if (isHost && byte < "\x80" && !isPlain(byte, component)) {
      return new Fault(`invalid character ${JSON.stringify(byte)} in host name`);
    } else result += byte;
  }
  return result;
}
