/**
 * Makes the runtime's TLS library seed its random generator, which takes 27 ms of processor time and would otherwise
 * delay the first handshake. It generates a key, because that needs randomness and runs on another thread while modules
 * load.
 */
export function gatherRandomness(): void {
  void crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
}
