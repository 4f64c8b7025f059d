import { asList, asString, Fault, field, isFault, type Json, parseJson } from "../../json/mod.ts";
import type { Clock, Entropy } from "../../ports.ts";
import { statusLine } from "../api_answer.ts";
import { retryAfter, withRetries } from "../retry.ts";
import { send, type Sent } from "../transport.ts";
import { type RegistryReference, schemesOf } from "./reference.ts";
import { basicAuthorization, type Login, readChallenge, tokenAddress, Tokens } from "./token.ts";

/** The bounds of a {@link RegistryConnection}; times in milliseconds. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly timeout: number;
  readonly attempts: number;
  readonly firstDelay: number;
  readonly maxBytes: number;
  /** Whether an address may be asked: registries, token servers, and what they redirect to. */
  readonly allows: (url: URL) => boolean;
}

/** Who asks which registry. */
export interface RegistryAccess {
  readonly reference: RegistryReference;
  readonly login: Login | undefined;
  readonly allowInsecure: "yes" | "no";
}

/** What a registry sent. */
export interface Content {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Why a registry sent nothing. */
export interface RegistryFailure {
  readonly status: number | undefined;
  readonly fault: Fault;
  /** Set where the registry was reached, so that another scheme would not help. */
  readonly reached?: true;
}

/** Reading from registries over HTTP: schemes, tokens, retries. */
export class RegistryConnection {
  readonly #options: ConnectionOptions;
  readonly #tokens: Tokens;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#tokens = new Tokens(options.clock);
  }

  /** Reads `/v2/REPOSITORY/PATH`. */
  async read(access: RegistryAccess, path: string, accept: string): Promise<Content | RegistryFailure> {
    const { registry, repository } = access.reference;
    const schemes = schemesOf(registry, access.allowInsecure);
    let last: RegistryFailure | undefined;
    for (const [index, scheme] of schemes.entries()) {
      const url = `${scheme}://${registry}/v2/${repository}/${path}`;
      // A scheme that another one follows is tried once: plain servers fail at once.
      const attempts = index === schemes.length - 1 ? this.#options.attempts : 1;
      const got = await this.#readFrom(access, url, { accept, attempts });
      // Without any answer the next scheme is tried; the first one's reason is what the user should see.
      if (!("fault" in got) || got.status !== undefined || got.reached === true) return got;
      last ??= got;
    }
    return last ?? { status: undefined, fault: new Fault("no scheme") };
  }

  async #readFrom(
    access: RegistryAccess,
    url: string,
    asking: { readonly accept: string; readonly attempts: number },
  ): Promise<Content | RegistryFailure> {
    const key = `${url.slice(0, url.indexOf("/v2/"))} ${access.reference.repository} ${
      access.login?.username ?? ""
    }`;
    const first = await this.#get(url, { ...asking, authorization: this.#bearer(key) });
    if (!first.ok || first.status !== 401) return contentOf(url, first);
    this.#tokens.forget(key);
    const authorization = await this.#authorize(access, key, first.headers.get("www-authenticate") ?? "");
    if (isFault(authorization)) return { status: 401, fault: authorization };
    return contentOf(url, await this.#get(url, { ...asking, authorization }));
  }

  #bearer(key: string): string | undefined {
    const token = this.#tokens.get(key);
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /** The `Authorization` that fulfils a challenge: the login itself, or a token that it (or nobody) is given. */
  async #authorize(access: RegistryAccess, key: string, header: string): Promise<string | Fault> {
    const challenge = readChallenge(header);
    const { registry, repository } = access.reference;
    if (challenge === undefined) {
      return new Fault(`${registry}: unauthorized, and no way to authorize is offered`);
    }
    if (challenge.scheme === "basic") {
      if (access.login !== undefined) return basicAuthorization(access.login);
      return new Fault(`${registry}: UNAUTHORIZED: authentication required`);
    }
    const address = tokenAddress(challenge, repository);
    const login = access.login === undefined ? undefined : basicAuthorization(access.login);
    const answer = contentOf(
      address,
      await this.#get(address, {
        accept: "application/json",
        attempts: this.#options.attempts,
        authorization: login,
      }),
    );
    if ("fault" in answer) return answer.fault;
    const token = this.#tokens.keep(key, jsonOf(answer.text));
    return token === undefined ? new Fault(`GET ${address}: no token in the answer`) : `Bearer ${token}`;
  }

  #get(
    url: string,
    { accept, attempts, authorization }: {
      readonly accept: string;
      readonly attempts: number;
      readonly authorization: string | undefined;
    },
  ): Promise<Sent> {
    const { timeout, maxBytes, allows, clock, entropy, firstDelay } = this.#options;
    const until = clock.now() + timeout;
    if (!allows(new URL(url))) {
      return Promise.resolve({ ok: false, reason: "redirect", message: "the address is not allowed" });
    }
    const attempt = async () => {
      const value = await send({
        method: "GET",
        url,
        headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
        timeout: Math.max(1, until - clock.now()),
        maxBytes,
        follow: (target) => /^https?:$/.test(target.protocol) && allows(target),
      });
      const passing = value.ok
        ? value.status === 429 || value.status >= 500
        : value.reason === "network" || value.reason === "timeout";
      return { value, again: passing ? value.ok ? retryAfter(value.headers, clock) : 0 : undefined };
    };
    return withRetries(attempt, { clock, entropy, attempts, firstDelay, maxDelay: 2_000, until });
  }
}

/** JSON of a text; null when it is none. */
export function jsonOf(text: string): Json {
  return parseJson(text) ?? null;
}

/** The content of an answer, or its refusal in the words of go-containerregistry. */
function contentOf(url: string, sent: Sent): Content | RegistryFailure {
  if (!sent.ok) {
    const fault = new Fault(`Get "${url}": ${sent.message}`);
    const reached = sent.reason === "redirect" || sent.reason === "too large";
    return { status: undefined, fault, ...(reached ? { reached } : {}) };
  }
  if (sent.status === 200) return { text: sent.text, bytes: sent.bytes };
  const errors = asList(field(jsonOf(sent.text), "errors")).map((each) => {
    const code = asString(field(each, "code")) ?? "UNKNOWN";
    return `${code}: ${asString(field(each, "message")) ?? ""}`;
  });
  const said = errors.length > 0
    ? errors.join("; ")
    : `unexpected status code ${statusLine(sent.status)}: ${sent.text}`;
  return { status: sent.status, fault: new Fault(`GET ${url}: ${said.trim().slice(0, 500)}`) };
}
