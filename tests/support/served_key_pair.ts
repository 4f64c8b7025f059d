/** A certificate in files, for a server that serves it and for clients that trust it. */
import { join } from "node:path";
import { makeKeyPair } from "./key_pairs.ts";

/** A certificate whose files are removed with it. */
export interface ServedKeyPair extends AsyncDisposable {
  /** The arguments of `serve` that name the files. */
  readonly args: readonly string[];
  /** PEM of the certificate. */
  readonly cert: string;
}

/** Makes a certificate for `localhost`, and a folder with its files. */
export async function servedKeyPair(): Promise<ServedKeyPair> {
  const pair = await makeKeyPair(), folder = await Deno.makeTempDir({ prefix: "postern-key-pair-" });
  const cert = join(folder, "tls.crt"), key = join(folder, "tls.key");
  await Deno.writeTextFile(cert, pair.cert);
  await Deno.writeTextFile(key, pair.key);
  return {
    args: ["--tls-cert", cert, "--tls-key", key],
    cert: pair.cert,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
