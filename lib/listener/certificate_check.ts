import { Duplex } from "node:stream";
import { connect, createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls";

/** Milliseconds for a handshake in memory; it takes two. */
const patience = 5_000;

/**
 * Whether a certificate serves: a handshake in memory, in which a client takes whatever it is shown. Gives what is wrong
 * with it, such as an algorithm that the TLS library refuses (RSA with 1024 bits, secp256k1, Ed448).
 */
export function certificateProblem(context: SecureContextOptions): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve("its handshake does not end"), patience);
  const failed = (cause: unknown): void => resolve(cause instanceof Error ? cause.message : String(cause));
  try {
    const [ours, theirs] = connectedStreams();
    const secureContext = createSecureContext(context);
    const server = new TLSSocket(ours, { isServer: true, secureContext });
    const client = connect({ socket: theirs, rejectUnauthorized: false }, () => resolve(undefined));
    for (const end of [server, client]) end.on("error", failed);
    void promise.then(() => [server, client].forEach((end) => end.destroy()));
  } catch (cause) {
    failed(cause);
  }
  return promise.finally(() => clearTimeout(timer));
}

/** Two streams: what is written to one is read from the other. */
function connectedStreams(): [Duplex, Duplex] {
  const end = (other: () => Duplex): Duplex =>
    new Duplex({
      read() {},
      write(bytes, _encoding, done) {
        queueMicrotask(() => void other().push(bytes));
        done();
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const one: Duplex = end(() => two), two: Duplex = end(() => one);
  return [one, two];
}
