import type { Certificates, ServingCertificate } from "../install/mod.ts";

/** Where and what to serve. */
export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly handler: Deno.ServeHandler;
  /** Absent for plain HTTP. */
  readonly certificates?: Certificates;
  /** Told when a certificate cannot be renewed. */
  readonly problem: (message: string) => void;
  /** Milliseconds between looks for a newer certificate. */
  readonly lookEvery?: number;
}

/**
 * The webhook's port. When the certificate changes it is opened again with the new one: requests under way are answered
 * by the old one first, and the port is closed for some tens of milliseconds.
 */
export class Listener {
  readonly #options: ListenerOptions;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #certificate: ServingCertificate | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  private constructor(options: ListenerOptions, certificate: ServingCertificate | undefined) {
    this.#options = options;
    this.#certificate = certificate;
    this.#server = this.#listen(options.port);
    if (options.certificates === undefined) return;
    this.#timer = setInterval(() => void this.#look(), options.lookEvery ?? 3_600_000);
    Deno.unrefTimer(Number(this.#timer));
  }

  /** Opens the port; a text says why it cannot be opened. */
  static async open(options: ListenerOptions): Promise<Listener | string> {
    const reading = await options.certificates?.current();
    if (reading !== undefined && reading.certificate === undefined) return reading.problem;
    try {
      return new Listener(options, reading?.certificate);
    } catch (cause) {
      return `cannot listen on ${options.hostname}:${options.port}: ${
        cause instanceof Error ? cause.message : String(cause)
      }`;
    }
  }

  /** The port, also when any was asked for. */
  get port(): number {
    return this.#server.addr.port;
  }

  /** What the certificate's callers must trust, in base64 as webhook configurations have it. */
  get caBundle(): string | undefined {
    return this.#certificate?.caBundle;
  }

  /** Answers what is under way and closes the port. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#server.shutdown();
  }

  async #look(): Promise<void> {
    const reading = await this.#options.certificates!.current();
    if (reading.problem !== undefined) this.#options.problem(reading.problem);
    const { certificate } = reading;
    if (this.#closed || certificate === undefined || certificate.cert === this.#certificate?.cert) return;
    const port = this.port;
    await this.#server.shutdown();
    this.#certificate = certificate;
    this.#server = this.#listen(port);
  }

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname, handler } = this.#options;
    const options = { hostname, port, onListen: () => {} };
    if (this.#certificate === undefined) return Deno.serve(options, handler);
    const { cert, key } = this.#certificate;
    return Deno.serve({ ...options, cert, key }, handler);
  }
}
