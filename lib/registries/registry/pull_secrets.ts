import { asString, dig, field, type Json, sharedHeapSize } from "../../json/mod.ts";
import type { Answer, Clock, Cluster } from "../../ports.ts";
import { SharedLoads } from "../../adapters/mod.ts";
import { jsonOf } from "./registry_answer.ts";
import { decodedText, loginIn } from "./docker_config.ts";
import type { Login, RegistryLogins } from "./token.ts";

const keptMs = 10_000;
const mostBytes = 4_000_000;

/**
 * Reads logins from the image pull secrets (`kubernetes.io/dockerconfigjson`) of one namespace. The first secret with a
 * login for the registry counts. Kyverno parity: secrets of other namespaces count as absent. Pinned by "pull secrets:
 * a secret of another namespace counts as absent".
 */
export function pullSecretLogins(cluster: Cluster, namespace: string, clock: Clock): RegistryLogins {
  // All images of a request use the same secrets, so they share the loads.
  const secrets = new SharedLoads<Answer>({
    clock,
    ttl: (answer) => answer.ok ? keptMs : 0,
    sizeOf: (answer) => answer.ok ? sharedHeapSize(answer.body) : 0,
    maxBytes: mostBytes,
  });
  return async (registry, { secrets: names = [] }) => {
    for (const written of names) {
      const slash = written.indexOf("/");
      if (slash >= 0 && written.slice(0, slash) !== namespace) continue;
      const name = written.slice(slash + 1);
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
      const answer = await secrets.get(path, () => cluster.call({ method: "GET", path }));
      if (!answer.ok) continue;
      const login = loginFrom(answer.body, registry);
      if (login !== undefined) return login;
    }
    return undefined;
  };
}

/** The login that a pull secret has for a registry. */
function loginFrom(secret: Json, registry: string): Login | undefined {
  const encoded = asString(dig(secret, "data", ".dockerconfigjson")) ?? "";
  return loginIn(field(jsonOf(decodedText(encoded)), "auths"), registry);
}
