/** Links that carry the whole state in their fragment, which browsers never send. */
import { emptyTexts, type PlaygroundState } from "./store.ts";

const prefix = "#s=";

/** The fragment of a link: the state as JSON, deflated, in base64url. */
export async function fragmentOf({ texts, dialect }: PlaygroundState): Promise<string> {
  const used = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  const json = JSON.stringify({ ...used, ...(dialect !== "classic" && { dialect }) });
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return prefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Most characters of a state: a link cannot make the page unpack without end. */
const longest = 8_000_000;

/** The state of a fragment; `undefined` when it has none, or one that cannot be read. */
export async function stateOf(fragment: string): Promise<PlaygroundState | undefined> {
  if (!fragment.startsWith(prefix)) return undefined;
  try {
    const text = atob(fragment.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const json = await through(bytes, new DecompressionStream("deflate-raw"));
    return readState(JSON.parse(new TextDecoder().decode(json)));
  } catch {
    return undefined;
  }
}

/** A state from JSON that may be anything. */
export function readState(value: unknown): PlaygroundState | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const texts = Object.fromEntries(
    Object.keys(emptyTexts).map((name) => [name, typeof fields[name] === "string" ? fields[name] : ""]),
  );
  return {
    texts: texts as unknown as PlaygroundState["texts"],
    dialect: fields["dialect"] === "current" ? "current" : "classic",
  };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(stream)) {
    size += part.length;
    if (size > longest) throw new Error("the state is too long");
    parts.push(part);
  }
  const joined = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
