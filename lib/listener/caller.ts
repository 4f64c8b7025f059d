import type { Socket } from "node:net";

/** The caller of a connection, and how it connected. */
export interface Caller {
  /** The number of the certificate with which the connection began. */
  readonly generation: number;
  /** Whether the caller presented a client certificate of the configured authority. */
  readonly authenticated: boolean;
  /** The socket below TLS; absent without TLS. */
  readonly transport: Socket | undefined;
}
