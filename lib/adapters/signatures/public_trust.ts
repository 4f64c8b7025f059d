import { asString, dig, parseJson } from "../../json/mod.ts";
import { base64Bytes } from "./pem.ts";

/** Where sigstore's public instance publishes what it is trusted by. */
export const publicMirror = "https://tuf-repo-cdn.sigstore.dev";

/**
 * The trusted root of sigstore's public instance as it was when the library for TUF was published: newer keys are missing
 * until it is fetched anew (`postern trust update`), so signatures of newer logs are refused. `undefined` where the
 * library is not at hand.
 */
export async function bundledTrustedRoot(): Promise<string | undefined> {
  try {
    const { default: seeds } = await import("@sigstore/tuf/seeds.json", { with: { type: "json" } });
    const bytes = base64Bytes(asString(dig(seeds, publicMirror, "targets", "trusted_root.json")) ?? "");
    const text = bytes === undefined ? "" : new TextDecoder().decode(bytes);
    return parseJson(text) === undefined ? undefined : text;
  } catch {
    return undefined;
  }
}
