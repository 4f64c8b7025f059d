import { asString, BoundedCache, Fault, field, type Json, textField } from "../../json/mod.ts";
import { encodeBase64Text } from "../../kube/mod.ts";
import { type Clock, elapsedOn, type RegistryCredentials } from "../../ports.ts";

/** Name and password for a registry. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Finds the login for a registry among the credentials that a policy names; `undefined` for anonymous reads. */
export type RegistryLogins = (
  registry: string,
  credentials: RegistryCredentials,
) => Promise<Login | undefined>;

/** The challenge of a registry that answers `401`. */
export type Challenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service: string; readonly scope: string };

/**
 * Reads a `WWW-Authenticate` header (RFC 9110 §11.6.1, and the distribution specification's token parameters).
 *
 * ```ts
 * import { readChallenge } from "./token.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(readChallenge('Bearer realm="https://auth.example/token",service="r"'), {
 *   scheme: "bearer", realm: "https://auth.example/token", service: "r", scope: "",
 * });
 * ```
 */
export function readChallenge(header: string): Challenge | undefined {
  if (header.length > 8_192) return undefined;
  if (/^basic\b/i.test(header)) return { scheme: "basic" };
  if (!/^bearer\s/i.test(header)) return undefined;
  const parameters = new Map<string, string>();
  for (
    const [, name = "", quoted, bare] of header.slice(7).matchAll(
      /(?<![a-z])([a-z]+)=(?:"([^"]*)"|([^",\s]+))/gi,
    )
  ) {
    parameters.set(name.toLowerCase(), quoted ?? bare ?? "");
  }
  const realm = parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) return undefined;
  return {
    scheme: "bearer",
    realm,
    service: parameters.get("service") ?? "",
    scope: parameters.get("scope") ?? "",
  };
}

/** The URL at which the token server issues a token to pull from a repository. */
export function tokenAddress(
  challenge: Extract<Challenge, { scheme: "bearer" }>,
  repository: string,
): string {
  const url = new URL(challenge.realm);
  if (challenge.service !== "") url.searchParams.set("service", challenge.service);
  url.searchParams.set("scope", challenge.scope || `repository:${repository}:pull`);
  return url.href;
}

/** The `Authorization` header for a login. */
export function basicAuthorization({ username, password }: Login): string {
  return `Basic ${encodeBase64Text(`${username}:${password}`)}`;
}

interface Token {
  readonly value: string;
  readonly expires: number;
}

/** Characters of all tokens and their keys: some thousand usual ones. */
const maxKept = 2_000_000;
/** Registries issue tokens of some kilobytes, and servers take heads of 16 KB at most. */
const maxCharacters = 16_000;
/** The lifetime of a token whose answer names none, by the distribution specification. */
const defaultSeconds = 60;
const marginSeconds = 10;

/** Keeps tokens while they are valid, by the registry, repository and user that they are for. */
export class Tokens {
  readonly #clock: Clock;
  readonly #tokens = new BoundedCache<Token>(maxKept, ({ value }, key) => value.length + key.length);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the token of a key if it is still valid. */
  get(key: string): string | undefined {
    const token = this.#tokens.get(key);
    return token !== undefined && token.expires > elapsedOn(this.#clock) ? token.value : undefined;
  }

  /** Keeps and returns the token in a token server's answer. */
  keep(key: string, answer: Json): string | Fault {
    const value = asString(field(answer, "token")) ?? textField(answer, "access_token");
    if (value.length > maxCharacters) {
      return new Fault(`the token is longer than ${maxCharacters} characters`);
    }
    if (!/^[\x21-\x7e]+$/.test(value)) return new Fault("no token in the answer");
    const given = field(answer, "expires_in");
    const seconds = typeof given === "number" && given > 0 ? given : defaultSeconds;
    this.#tokens.set(key, { value, expires: elapsedOn(this.#clock) + (seconds - marginSeconds) * 1000 });
    return value;
  }

  /** Drops a token that the registry refused. */
  forget(key: string): void {
    this.#tokens.delete(key);
  }
}
