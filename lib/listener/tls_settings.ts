import type { SecureContextOptions, TlsOptions, TLSSocket } from "node:tls";
import { certificateProblem } from "./certificate_check.ts";
import type { KeyPair, KeyPairs } from "./key_pair.ts";
import { VerifiedCallers } from "./verified_callers.ts";

/** The sources of a port's certificate and of its callers' authority. */
export interface TlsSources {
  readonly certificates: KeyPairs;
  /** PEM of the CA that signs client certificates. Without it the port requests no client certificate. */
  readonly clientAuthority?: string | undefined;
  /** Reads that authority again, with each check for a newer certificate. A problem leaves the former in force. */
  readonly nextClientAuthority?: (() => Promise<string | { readonly problem: string }>) | undefined;
  /** Receives a message when a certificate or an authority cannot be renewed. */
  readonly problem: (message: string) => void;
}

/** The certificate of a port and the authority of its callers, as they are in force. */
export class TlsSettings {
  readonly #sources: TlsSources;
  readonly #callers = new VerifiedCallers();
  #certificate: KeyPair;
  #authority: string | undefined;
  #generation = 0;

  private constructor(sources: TlsSources, certificate: KeyPair) {
    this.#sources = sources;
    this.#certificate = certificate;
    this.#authority = sources.clientAuthority;
  }

  /** Reads the certificate. A returned text says why TLS cannot use it. */
  static async read(sources: TlsSources): Promise<TlsSettings | string> {
    const reading = await sources.certificates.current();
    if (reading.certificate === undefined) return reading.problem;
    const problem = await certificateProblem(reading.certificate);
    if (problem !== undefined) return `the certificate cannot be served: ${problem}`;
    return new TlsSettings(sources, reading.certificate);
  }

  /** The number of the certificate. Each renewal increments it. */
  get generation(): number {
    return this.#generation;
  }

  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  get caBundle(): string | undefined {
    return this.#certificate.caBundle;
  }

  /** The options of a TLS server. */
  get options(): SecureContextOptions & TlsOptions {
    return optionsOf(this.#certificate, this.#authority);
  }

  /** Whether the caller of a new connection has a certificate that the authority signed. */
  isAuthenticated(socket: TLSSocket): boolean {
    return this.#authority !== undefined && this.#callers.isVerified(socket);
  }

  /** Checks for a newer certificate and a newer authority. Returns whether other ones are in force. */
  async renew(): Promise<boolean> {
    const cert = await this.#newCertificate(), authority = await this.#newAuthority();
    if (cert === undefined && authority === undefined) return false;
    const certificate = cert ?? this.#certificate;
    const problem = await certificateProblem(optionsOf(certificate, authority ?? this.#authority));
    if (problem !== undefined) {
      this.#sources.problem(`the new certificate cannot be served, the former stays: ${problem}`);
      return false;
    }
    this.#certificate = certificate;
    if (authority !== undefined) this.#callers.clear();
    this.#authority = authority ?? this.#authority;
    this.#generation++;
    return true;
  }

  async #newCertificate(): Promise<KeyPair | undefined> {
    const { certificate, problem } = await this.#sources.certificates.current();
    if (problem !== undefined) this.#sources.problem(problem);
    return certificate?.cert === this.#certificate.cert ? undefined : certificate;
  }

  async #newAuthority(): Promise<string | undefined> {
    const reading = await this.#sources.nextClientAuthority?.();
    if (typeof reading === "string") return reading === this.#authority ? undefined : reading;
    if (reading !== undefined) this.#sources.problem(`the former authority stays: ${reading.problem}`);
    return undefined;
  }
}

function optionsOf({ cert, key }: KeyPair, ca: string | undefined): SecureContextOptions & TlsOptions {
  // A caller without a certificate may still send health checks, so `screen` decides and not TLS.
  return { cert, key, ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: false }) };
}
