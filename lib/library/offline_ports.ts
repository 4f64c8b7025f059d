import type { Answer, Ports } from "../ports.ts";

/**
 * Ports without a network. Every load (an API call, a ConfigMap, an image, a service, a global context entry, the
 * labels of a namespace, the roles of a user) fails with an error that names the missing port. The policy handles the
 * error as for a cluster that is down: a rule with `failurePolicy: Fail` denies the request. Signatures are not
 * verified either. Clock and randomness are the system's.
 */
export function offlinePorts(): Ports {
  return {
    cluster: {
      call: () => offline("the cluster", "cluster"),
      resource: () => Promise.resolve(undefined),
    },
    http: { call: () => offline("services", "http") },
    registry: { image: () => offline("image registries", "registry") },
    globals: { entry: () => offline("entries of the global context", "globals") },
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    entropy: { next: () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32 },
  };
}

function offline(what: string, port: keyof Ports): Promise<Answer> {
  const message = `offline: ${what} cannot be reached; give evaluate() the port "${port}"`;
  return Promise.resolve({ ok: false, status: undefined, message });
}
