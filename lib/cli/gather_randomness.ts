/**
 * Has the runtime's TLS library gather the randomness of this process, which takes 27 ms of a processor and else holds up the
 * first handshake. Making a key needs randomness, and is done on another thread while modules load.
 */
export function gatherRandomness(): void {
  void crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
}
