import { Duplex } from "node:stream";
import { createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls";

/**
 * Tests whether a TLS server can use a certificate: it begins the server's side of a connection with it. Returns the
 * error of the TLS library, such as an algorithm that the library rejects (RSA with 1024 bits, secp256k1, Ed448) or a
 * key that belongs to another certificate.
 *
 * The library checks both when a connection begins, before the first byte. The test uses no client, because the first
 * client of a process reads all certificate authorities, which would cost 50 ms at every start.
 */
export function certificateProblem(context: SecureContextOptions): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const failed = (cause: unknown): void => resolve(cause instanceof Error ? cause.message : String(cause));
  try {
    const server = new TLSSocket(silentStream(), {
      isServer: true,
      secureContext: createSecureContext(context),
    });
    server.on("error", failed);
    // An error comes in the same round of the event loop in which the connection begins.
    setImmediate(() => resolve(undefined));
    void promise.then(() => server.destroy());
  } catch (cause) {
    failed(cause);
  }
  return promise;
}

/** A stream that delivers no bytes and discards all writes. */
function silentStream(): Duplex {
  return new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() });
}
