import { asString, dig, parseJson } from "../../json/mod.ts";
import { base64Bytes } from "./pem.ts";

/** The TUF repository of sigstore's public instance. */
export const publicMirror = "https://tuf-repo-cdn.sigstore.dev";

/**
 * The trusted root of sigstore's public instance, as the published TUF library contains it. It lacks newer keys until
 * the user fetches it again (`postern trust update`), so Postern refuses signatures of newer logs. `undefined` when the
 * library is not available.
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
