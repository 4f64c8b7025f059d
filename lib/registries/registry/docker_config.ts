import { asString, Fault, field, isObject, type Json, parseJson, textField } from "../../json/mod.ts";
import type { Login, RegistryLogins } from "./token.ts";

/** The logins that a docker configuration file gives, by registry. */
export interface DockerLogins {
  readonly login: RegistryLogins;
  /** Registries whose login a credential helper has; Postern does not run these programs. `*`: all other registries. */
  readonly helpers: readonly { readonly registry: string; readonly helper: string }[];
}

/** The host names of Docker Hub. */
const dockerHub = ["index.docker.io", "docker.io", "registry-1.docker.io"];

/**
 * Reads the logins of a Docker configuration (`~/.docker/config.json`, or the content of a pull secret).
 *
 * ```ts
 * import { dockerLogins } from "./docker_config.ts";
 * import { isFault } from "../../json/mod.ts";
 * import assert from "node:assert/strict";
 * const text = `{"auths":{"https://registry.example/v1/":{"auth":"bWU6cGFzcw=="}},"credHelpers":{"gcr.io":"gcloud"}}`;
 * const read = dockerLogins(text);
 * assert(!isFault(read));
 * assert.deepEqual(await read.login("registry.example", {}), { username: "me", password: "pass" });
 * assert.deepEqual(read.helpers, [{ registry: "gcr.io", helper: "gcloud" }]);
 * ```
 */
export function dockerLogins(text: string): DockerLogins | Fault {
  const config = parseJson(text);
  if (!isObject(config)) return new Fault("the docker configuration is no JSON object");
  const store = asString(config["credsStore"]);
  const named = Object.entries(isObject(config["credHelpers"]) ? config["credHelpers"] : {});
  return {
    login: (registry) => Promise.resolve(loginIn(config["auths"], registry)),
    helpers: [
      ...named.map(([registry, helper]) => ({ registry, helper: asString(helper) ?? "" })),
      ...(store === undefined || store === "" ? [] : [{ registry: "*", helper: store }]),
    ],
  };
}

/** The login for a registry among the `auths` of a configuration. */
export function loginIn(auths: Json | undefined, registry: string): Login | undefined {
  if (!isObject(auths)) return undefined;
  const wanted = dockerHub.includes(registry) ? dockerHub : [registry];
  // Keys may be URLs: https://index.docker.io/v1/.
  const found = Object.entries(auths).find(([key]) =>
    wanted.includes(key.replace(/^https?:\/\//, "").split("/")[0]!)
  );
  if (found === undefined) return undefined;
  const username = asString(field(found[1], "username")), password = asString(field(found[1], "password"));
  if (username !== undefined && password !== undefined) return { username, password };
  const pair = decodedText(textField(found[1], "auth"));
  const colon = pair.indexOf(":");
  return colon < 0 ? undefined : { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

/** Decodes base64 to text; empty when it is not base64. */
export function decodedText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(base64.replace(/\s/g, "")));
  } catch {
    return "";
  }
}
