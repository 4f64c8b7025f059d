import { causeOf } from "../../adapters/mod.ts";
import { Fault, isFault } from "../../json/mod.ts";
import { type RemoteSource, unreadable } from "./remote_source.ts";

/** The bounds of one download: bytes and milliseconds. */
const limits = { bytes: 32_000_000, time: 30_000 };

/** The https address of a file of YAML or JSON. */
export const httpsFile: RemoteSource = {
  accepts: (address) => /^https?:\/\/.*?\.(?:ya?ml|json)(?:[?#]|$)/.test(address),
  async read(address) {
    const text = await fetchText(address);
    return isFault(text) ? unreadable(address, text) : { files: [{ file: address, text }], diagnostics: [] };
  },
};

/** Whether a path is an address that {@link fetchBody} reads. */
export function isFileAddress(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/** The body of an address, which has 30 seconds to arrive. A fault says why there is none. */
export async function fetchBody(address: string): Promise<AsyncIterable<Uint8Array> | Fault> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(limits.time) });
    if (response.ok) return response.body ?? new ReadableStream();
    await response.body?.cancel();
    return new Fault(`the server answered ${response.status} ${response.statusText}`);
  } catch (cause) {
    return new Fault(causeOf(cause));
  }
}

async function fetchText(address: string): Promise<string | Fault> {
  const body = await fetchBody(address);
  if (isFault(body)) return body;
  try {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > limits.bytes) return new Fault(`it is longer than ${limits.bytes} bytes`);
    }
    return text + decoder.decode();
  } catch (cause) {
    return new Fault(causeOf(cause));
  }
}
