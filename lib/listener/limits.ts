/** The server's limits for callers. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Connections at once. When they are used up, the one that has been of least use makes room. */
  readonly connections: number;
  /** From accepting a connection to the end of the TLS handshake. */
  readonly handshakeTime: number;
  /** Handshakes that begin together; others wait. */
  readonly handshakes: number;
  /** A connection before its first request. */
  readonly newTime: number;
  /** A connection between requests. Longer than Go's clients keep one (90 s), so that they are the ones who close. */
  readonly idleTime: number;
  /** From the first byte of a request to the end of its head. */
  readonly headTime: number;
  readonly headBytes: number;
  /** From the end of the head to the end of the body. */
  readonly bodyTime: number;
  readonly bodyBytes: number;
  /** All bodies together, from their first byte until they are answered. */
  readonly allBodyBytes: number;
  /** How long a body may wait for its share of `allBodyBytes`. */
  readonly waitTime: number;
  /** Until the caller has taken an answer. */
  readonly writeTime: number;
  /** From {@link Listener.close} to the end of the last connection. */
  readonly closeTime: number;
}

export const defaultLimits: Limits = {
  connections: 1024,
  handshakeTime: 10_000,
  handshakes: 16,
  newTime: 10_000,
  idleTime: 180_000,
  headTime: 5_000,
  headBytes: 16 * 1024,
  bodyTime: 5_000,
  // The API server's own limit for objects is 3 MB; a review may hold two of them.
  bodyBytes: 5 * 1024 * 1024,
  allBodyBytes: 12 * 1024 * 1024,
  waitTime: 10_000,
  writeTime: 10_000,
  closeTime: 15_000,
};
