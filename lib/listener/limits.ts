/** The server's limits for callers. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Open connections. At this number the listener closes the least useful connection before it accepts another. */
  readonly connections: number;
  /** From accepting a connection to the end of the TLS handshake. */
  readonly handshakeTime: number;
  /** TLS handshakes that may begin at the same time; further ones wait. */
  readonly handshakes: number;
  /** How long a connection may stay open before its first request. */
  readonly newTime: number;
  /** How long a connection may be idle between requests. Go's clients close after 90 s, so they close first. */
  readonly idleTime: number;
  /** From the first byte of a request to the end of its head. */
  readonly headTime: number;
  readonly headBytes: number;
  /** From the end of the head to the end of the body. */
  readonly bodyTime: number;
  /**
   * The same while other bodies wait for the bytes that an unfinished one holds. The API server sends bodies at once.
   */
  readonly crowdedBodyTime: number;
  readonly bodyBytes: number;
  /** A body that announces at most so many bytes is small. Most reviews are, and they do not wait for larger ones. */
  readonly smallBodyBytes: number;
  /** All small bodies together. */
  readonly allSmallBytes: number;
  /** All other bodies together. A body counts from its first byte until its request is answered. */
  readonly allBodyBytes: number;
  /**
   * All bodies that wait for their share of `allBodyBytes` together: the bytes that had arrived when they began to
   * wait.
   */
  readonly waitingBytes: number;
  /** The bytes of further requests, of all connections together, that callers send before their answers. */
  readonly aheadBytes: number;
  /** How long a body may wait for its share of `allBodyBytes`. */
  readonly waitTime: number;
  /** How long the caller may take to read an answer. */
  readonly writeTime: number;
  /** The answers, of all connections together, that callers have not read. */
  readonly unreadBytes: number;
  /** From {@link Listener.close} to the end of the last connection. */
  readonly closeTime: number;
}

/** The limits of a listener whose options name no others. */
export const defaultLimits: Limits = {
  connections: 1024,
  handshakeTime: 10_000,
  handshakes: 16,
  newTime: 10_000,
  idleTime: 180_000,
  headTime: 5_000,
  headBytes: 16 * 1024,
  bodyTime: 5_000,
  crowdedBodyTime: 1_000,
  // The API server limits objects to 3 MB; a review may contain two of them.
  bodyBytes: 5 * 1024 * 1024,
  smallBodyBytes: 64 * 1024,
  allSmallBytes: 4 * 1024 * 1024,
  allBodyBytes: 8 * 1024 * 1024,
  // Node's sockets have read about as much again: some 100 bodies may wait, whatever their length.
  waitingBytes: 8 * 1024 * 1024,
  // The API server sends a request after the answer to the former one.
  aheadBytes: 8 * 1024 * 1024,
  waitTime: 10_000,
  writeTime: 10_000,
  unreadBytes: 8 * 1024 * 1024,
  closeTime: 15_000,
};
