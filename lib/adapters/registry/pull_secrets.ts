import { asString, dig, field, isObject, type Json } from "../../json/mod.ts";
import type { Cluster, RegistryCredentials } from "../../ports.ts";
import { jsonOf } from "./connection.ts";
import type { Login } from "./token.ts";

/** Names that Docker Hub goes by in pull secrets. */
const dockerHub = ["index.docker.io", "docker.io", "registry-1.docker.io"];

/** Logins from image pull secrets (`kubernetes.io/dockerconfigjson`) of one namespace: the first that knows a registry. */
export function pullSecretLogins(
  cluster: Cluster,
  namespace: string,
): (registry: string, credentials: RegistryCredentials) => Promise<Login | undefined> {
  return async (registry, { secrets = [] }) => {
    for (const name of secrets) {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
      const answer = await cluster.call({ method: "GET", path });
      if (!answer.ok) continue;
      const login = loginFrom(answer.body, registry);
      if (login !== undefined) return login;
    }
    return undefined;
  };
}

/** The login that a pull secret has for a registry. */
function loginFrom(secret: Json, registry: string): Login | undefined {
  const encoded = asString(dig(secret, "data", ".dockerconfigjson"));
  const auths = field(jsonOf(encoded === undefined ? "" : decoded(encoded)), "auths");
  if (!isObject(auths)) return undefined;
  const wanted = dockerHub.includes(registry) ? dockerHub : [registry];
  // Keys may be addresses: https://index.docker.io/v1/.
  const found = Object.entries(auths).find(([key]) =>
    wanted.includes(key.replace(/^https?:\/\//, "").split("/")[0]!)
  );
  if (found === undefined) return undefined;
  const username = asString(field(found[1], "username")), password = asString(field(found[1], "password"));
  if (username !== undefined && password !== undefined) return { username, password };
  const pair = decoded(asString(field(found[1], "auth")) ?? "");
  const colon = pair.indexOf(":");
  return colon < 0 ? undefined : { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function decoded(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text.replace(/\s/g, "")));
  } catch {
    return "";
  }
}
