import { Duplex } from "node:stream";
import { createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls";

/**
 * Whether a certificate serves: the server's side of a connection begins with it. Gives what is wrong with it, such as an
 * algorithm that the TLS library refuses (RSA with 1024 bits, secp256k1, Ed448) or the key of another certificate.
 *
 * The library looks at both when a connection begins, before its first byte. A client is not needed, and would cost 50 ms
 * at every start: the first one of a process reads all certificate authorities.
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
    // It fails in the turn of the event loop in which it begins.
    setImmediate(() => resolve(undefined));
    void promise.then(() => server.destroy());
  } catch (cause) {
    failed(cause);
  }
  return promise;
}

/** A stream on which nothing comes. */
function silentStream(): Duplex {
  return new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() });
}
