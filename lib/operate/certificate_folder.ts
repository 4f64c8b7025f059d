import { Fault, isFault } from "../json/mod.ts";
import type { Authority, IssuedCertificate } from "./issue_certificate.ts";
import {
  certificatesIn,
  isKeyOf,
  isSignedBy,
  readServingCertificate,
  type ServingCertificate,
} from "./serving_certificate.ts";

/** What a folder of certificates holds. */
export interface KeptCertificates {
  readonly authority: Authority;
  /** All authorities to trust, the present one first. */
  readonly trusted: readonly string[];
  /** `undefined` when it is missing or not one of the authority's. */
  readonly serving: ServingCertificate | undefined;
}

/**
 * A folder that keeps a certificate authority and a serving certificate between starts: `ca.crt` (the authority, then
 * former ones), `ca.key`, `tls.crt`, `tls.key`. Files are replaced whole, so that a crash leaves the former ones;
 * keys can be read by their owner only. An authority that cannot be read is reported and never overwritten.
 */
export class CertificateFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder.replace(/\/+$/, "");
  }

  /** What is kept; `undefined` when there is no authority yet. */
  async read(): Promise<KeptCertificates | Fault | undefined> {
    const ca = await this.#text("ca.crt"), caKey = await this.#text("ca.key");
    // The key is written first: a key alone is what a crash left behind.
    if (ca === undefined) return undefined;
    const trusted = certificatesIn(ca);
    const hint = `put it right, or delete ${this.#folder} to have new ones made`;
    if (trusted === undefined) return new Fault(`${this.#folder}/ca.crt: no PEM certificate; ${hint}`);
    if (caKey === undefined || !isKeyOf(caKey, trusted[0]!)) {
      return new Fault(`${this.#folder}/ca.key: not the key of ca.crt; ${hint}`);
    }
    const authority = { cert: trusted[0]!, key: caKey };
    return { authority, trusted, serving: await this.#serving(authority) };
  }

  /** Replaces what is kept. */
  async write(
    { authority, trusted, serving }: {
      readonly authority: Authority;
      readonly trusted: readonly string[];
      readonly serving: IssuedCertificate;
    },
  ): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (await this.#text("ca.key") !== authority.key) await this.#replace("ca.key", authority.key, 0o600);
    const bundle = trusted.map((each) => `${each.trim()}\n`).join("");
    if (await this.#text("ca.crt") !== bundle) await this.#replace("ca.crt", bundle, 0o644);
    await this.#replace("tls.key", serving.key, 0o600);
    await this.#replace("tls.crt", serving.cert, 0o644);
  }

  async #serving(authority: Authority): Promise<ServingCertificate | undefined> {
    const cert = await this.#text("tls.crt"), key = await this.#text("tls.key");
    if (cert === undefined || key === undefined || !isSignedBy(cert, authority.cert)) return undefined;
    const read = readServingCertificate({ cert, key });
    return isFault(read) ? undefined : read;
  }

  async #text(name: string): Promise<string | undefined> {
    try {
      return await Deno.readTextFile(`${this.#folder}/${name}`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  async #replace(name: string, text: string, mode: number): Promise<void> {
    const path = `${this.#folder}/${name}`, next = `${path}.new`;
    await Deno.remove(next).catch(() => {});
    await Deno.writeTextFile(next, text, { mode, createNew: true });
    await Deno.rename(next, path);
  }
}
