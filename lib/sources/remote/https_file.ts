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

async function fetchText(address: string): Promise<string | Fault> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(limits.time) });
    if (!response.ok) {
      await response.body?.cancel();
      return new Fault(`the server answered ${response.status} ${response.statusText}`);
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > limits.bytes) return new Fault(`it is longer than ${limits.bytes} bytes`);
    }
    return text + decoder.decode();
  } catch (cause) {
    return new Fault(causeOf(cause));
  }
}
