import type { TLSSocket } from "node:tls";
import { BoundedCache } from "../json/mod.ts";

/** The most certificates that are kept. A cluster has one for each API server, and a few former ones. */
const maxCertificates = 1_000;

/**
 * The client certificates that the TLS library has verified. In a resumed session it verifies none, and says that the
 * caller is authorized, also when it refused that certificate before. Such a caller is authenticated only when an
 * earlier handshake verified the same certificate. Only verified certificates are kept, so callers cannot fill it.
 */
export class VerifiedCallers {
  /** The end of each certificate in milliseconds since 1970, by its fingerprint. */
  #certificates = new BoundedCache<number>(maxCertificates);

  /** Whether the caller of a new connection has a certificate that the authority signed. */
  isVerified(socket: TLSSocket): boolean {
    if (!socket.authorized) return false;
    const { fingerprint256, valid_to } = socket.getPeerCertificate();
    if (socket.isSessionReused()) return Date.now() <= (this.#certificates.get(fingerprint256) ?? -1);
    this.#certificates.set(fingerprint256, Date.parse(valid_to));
    return true;
  }

  /** Forgets all certificates, because another authority verifies them from now on. */
  clear(): void {
    this.#certificates = new BoundedCache(maxCertificates);
  }
}
