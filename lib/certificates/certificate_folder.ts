import { type Fault, withoutEnding } from "../json/mod.ts";
import {
  type CertificateFiles,
  type CertificateKeeper,
  type KeptCertificates,
  type NewCertificates,
  readKept,
} from "./kept_certificates.ts";
import { pemBundle } from "./serving_certificate.ts";

/**
 * A folder that keeps a certificate authority and a serving certificate between starts: `ca.crt` (the authority, then
 * former ones), `ca.key`, `tls.crt`, `tls.key`. A file is replaced as a whole, so that a crash leaves the former one.
 * Only the owner can read keys. An unreadable authority is reported and never overwritten.
 */
export class CertificateFolder implements CertificateKeeper {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = withoutEnding(folder, "/");
  }

  async read(): Promise<KeptCertificates | Fault | undefined> {
    const files: CertificateFiles = {
      "ca.crt": await this.#text("ca.crt"),
      "ca.key": await this.#text("ca.key"),
      "tls.crt": await this.#text("tls.crt"),
      "tls.key": await this.#text("tls.key"),
    };
    const remedy = `put it right, or delete ${this.#folder} to have new ones made`;
    return readKept(files, { location: this.#folder, remedy });
  }

  async write({ authority, trusted, serving }: NewCertificates): Promise<undefined> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (await this.#text("ca.key") !== authority.key) await this.#replace("ca.key", authority.key, 0o600);
    const bundle = pemBundle(trusted);
    if (await this.#text("ca.crt") !== bundle) await this.#replace("ca.crt", bundle, 0o644);
    await this.#replace("tls.key", serving.key, 0o600);
    await this.#replace("tls.crt", serving.cert, 0o644);
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
