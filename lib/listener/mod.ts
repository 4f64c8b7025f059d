/**
 * A port for HTTP/1.1 with TLS whose callers cannot harm it: memory follows what has arrived, everything has a deadline,
 * certificates are exchanged while it is open. It knows nothing of admission.
 *
 * @module
 */
export {
  type Announced,
  type Fetch,
  fetchHandler,
  type Handler,
  type ListenerAnswer,
  type ListenerRequest,
} from "./handler.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { type KeyPair, type KeyPairs, Listener, type ListenerOptions } from "./listener.ts";
export { plainAnswer } from "./answer_bytes.ts";
export { openProbePort, type ProbeOptions, type Probes } from "./probes.ts";
export type { ProbeRequest } from "./probe_port.ts";
