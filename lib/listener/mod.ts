/**
 * A port for HTTP/1.1 with TLS that is safe against hostile callers. It allocates memory for bytes that have arrived,
 * not for announced ones. Every step has a deadline, and certificates change while the port is open. The code does not
 * depend on admission.
 *
 * @module
 */
export {
  type Announced,
  fetchHandler,
  type Handler,
  type HandlerAnswer,
  type ListenerAnswer,
} from "./handler.ts";
export type { KeyPair } from "./key_pair.ts";
export { Listener, type ListenerOptions } from "./listener.ts";
export { plainAnswer } from "./answer_bytes.ts";
export { openProbePort, type Probes } from "./probes.ts";
