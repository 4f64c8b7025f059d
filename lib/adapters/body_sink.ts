/** Receives the body of a response as it arrives. Each method returns false when there is no room for it. */
export interface BodySink {
  /** A chunk is valid until its promise ends. */
  add(chunk: Uint8Array, signal: AbortSignal): boolean | Promise<boolean>;
  end(signal: AbortSignal): boolean | Promise<boolean>;
}
