import { BoundedCache, Fault, isFault } from "../../json/mod.ts";
import { type Clock, elapsedOn, type Entropy } from "../../ports.ts";
import {
  FloodWatch,
  PinnedClients,
  type RenewedClient,
  retryAfter,
  send,
  type Sent,
  TaskTurns,
  withRetries,
} from "../../adapters/mod.ts";
import type { AddressRule } from "./addresses.ts";
import type { QueryMemory } from "./content_memory.ts";
import { schemesOf } from "./reference.ts";
import { contentOf, foreignChallenge, jsonOf, noAnswer } from "./registry_answer.ts";
import type { Content, Reading, RegistryAccess, RegistryReader } from "./registry_reader.ts";
import { RegistryFault } from "./registry_fault.ts";
import { basicAuthorization, readChallenge, tokenAddress, Tokens } from "./token.ts";

/** The bounds of a {@link RegistryConnection}; times in milliseconds. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly timeout: number;
  readonly attempts: number;
  readonly firstDelay: number;
  readonly maxBytes: number;
  /** Whether an address may be called: registries, token servers, and the targets of their redirects. */
  readonly allows: AddressRule;
  readonly client: RenewedClient;
}

type Scheme = "https" | "http";

interface Try extends Reading {
  readonly memory: QueryMemory;
  readonly attempts: number;
  /** Sends a request as soon as it is the registry's turn. */
  readonly atTurn: (send: () => Promise<Sent>) => Promise<Sent>;
}

/** The most requests to one registry at a time, so that Postern floods neither the registry nor itself. */
const requestsPerRegistry = 8;
/**
 * The most requests at a time to registries that have not answered before. Whoever creates Pods names them, and each
 * that never answers would take a connection. Registries that have answered do not wait for them.
 */
const requestsToUntried = 128;
/**
 * The most reads that are under way or wait, of all registries and of those that have not answered before: each takes
 * ten kilobytes of heap.
 */
const mostReads = 2_000, readsOfUntried = 512;
const maxRegistries = 1_000;

/** Reads from registries over HTTP: it chooses the scheme, gets tokens and repeats failed requests. */
export class RegistryConnection implements RegistryReader {
  readonly #options: ConnectionOptions;
  readonly #tokens: Tokens;
  /**
   * The scheme that answered last, by registry, so that Postern does not try TLS each time on a plain HTTP registry.
   */
  readonly #schemes = new BoundedCache<Scheme>(maxRegistries);
  /** By registry. A registry whose turns were evicted gets new ones, beside the requests that still run. */
  readonly #turns = new BoundedCache<TaskTurns>(maxRegistries);
  readonly #floods = new FloodWatch();
  readonly #untried = new TaskTurns(requestsToUntried);
  #reads = 0;
  #untriedReads = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#tokens = new Tokens(options.clock);
  }

  /** Reads one path. */
  async read(access: RegistryAccess, reading: Reading): Promise<Content | RegistryFault> {
    const { registry } = access.reference, lastScheme = this.#schemes.get(registry);
    const untried = lastScheme === undefined ? 1 : 0;
    if (this.#reads >= mostReads || untried > 0 && this.#untriedReads >= readsOfUntried) {
      return new RegistryFault(`${registry}: too many images wait for registries that do not answer`);
    }
    this.#reads++;
    this.#untriedReads += untried;
    try {
      return await this.#read(access, reading, lastScheme);
    } finally {
      this.#reads--;
      this.#untriedReads -= untried;
    }
  }

  /** Reads one path with the scheme that answered last, or those that the registry may have. */
  async #read(
    access: RegistryAccess,
    reading: Reading,
    lastScheme: Scheme | undefined,
  ): Promise<Content | RegistryFault> {
    const { registry, repository } = access.reference;
    const all = schemesOf(registry, access.allowInsecure);
    const schemes = lastScheme !== undefined && all.includes(lastScheme) ? [lastScheme] : all;
    const turns = this.#turns.getOrMake(registry, () => new TaskTurns(requestsPerRegistry));
    const atTurn: Try["atTurn"] = (send) =>
      turns.run(() => lastScheme === undefined ? this.#untried.run(send) : send());
    const refusals: RegistryFault[] = [];
    for (const [index, scheme] of schemes.entries()) {
      const url = `${scheme}://${registry}/v2/${repository}/${reading.path}`;
      // All schemes but the last get one attempt: a plain HTTP server fails at once over TLS.
      const attempts = index === schemes.length - 1 ? this.#options.attempts : 1;
      const got = await this.#readFrom(access, url, { ...reading, attempts, atTurn, memory: access.memory });
      // Without any answer the loop goes on to the next scheme.
      if (!isFault(got) || got.reached) {
        this.#schemes.set(registry, scheme);
        return got;
      }
      refusals.push(got);
    }
    this.#schemes.delete(registry);
    return noAnswer(refusals);
  }

  async #readFrom(access: RegistryAccess, url: string, reading: Try): Promise<Content | RegistryFault> {
    const { username = "", password = "" } = access.login ?? {};
    const key = JSON.stringify([new URL(url).origin, access.reference.repository, username, password]);
    const first = await this.#get(url, reading, { authorization: this.#bearer(key) });
    if (!first.ok || first.status !== 401) return contentOf(url, first);
    this.#tokens.forget(key);
    if (first.url.origin !== new URL(url).origin) return foreignChallenge(url, first.url);
    const challenge = first.headers.get("www-authenticate") ?? "";
    const authorization = await this.#authorize(access, { key, challenge, from: url }, reading);
    if (isFault(authorization)) return new RegistryFault(authorization.message, { status: 401 });
    if (authorization === undefined) return contentOf(url, first);
    return contentOf(url, await this.#get(url, reading, { authorization }), authorization);
  }

  #bearer(key: string): string | undefined {
    const token = this.#tokens.get(key);
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /**
   * Returns the `Authorization` header that answers a challenge: the login itself, or a token that the token server
   * issues for the login or anonymously. It is `undefined` when a basic challenge meets no login, so that the failure
   * keeps the registry's message.
   */
  async #authorize(
    access: RegistryAccess,
    { key, challenge: header, from }: {
      readonly key: string;
      readonly challenge: string;
      readonly from: string;
    },
    reading: Try,
  ): Promise<string | undefined | Fault> {
    const challenge = readChallenge(header);
    const { registry, repository } = access.reference;
    if (challenge === undefined) {
      return new Fault(`${registry}: unauthorized, and no way to authorize is offered`);
    }
    if (challenge.scheme === "basic") {
      return access.login === undefined ? undefined : basicAuthorization(access.login);
    }
    const address = tokenAddress(challenge, repository);
    const login = access.login === undefined ? undefined : basicAuthorization(access.login);
    if (login !== undefined && from.startsWith("https:") && !address.startsWith("https:")) {
      return new Fault(`${registry}: its token server has no TLS, so credentials are not sent there`);
    }
    const tokenReading = { ...reading, accept: "application/json", maxBytes: undefined };
    const answer = contentOf(
      address,
      await this.#get(address, tokenReading, { authorization: login, from }),
      login,
    );
    if (isFault(answer)) return answer;
    const token = this.#tokens.keep(key, jsonOf(answer.text));
    return isFault(token) ? new Fault(`GET ${address}: ${token.message}`) : `Bearer ${token}`;
  }

  async #get(
    url: string,
    { accept, attempts, maxBytes, atTurn, memory, until: end = Infinity }: Try,
    { authorization, from }: {
      readonly authorization: string | undefined;
      readonly from?: string;
    },
  ): Promise<Sent> {
    const { timeout, allows, client, clock, entropy, firstDelay } = this.#options;
    const until = Math.min(elapsedOn(clock) + timeout, end);
    const pinned = new PinnedClients();
    const permits = async (target: URL, origin?: URL): Promise<string | undefined> => {
      const { refused, address } = await allows(target, origin);
      if (refused === undefined && address !== undefined) pinned.pin(target, address);
      return refused;
    };
    const refused = await permits(new URL(url), from === undefined ? undefined : new URL(from));
    if (refused !== undefined) return { ok: false, reason: "redirect", message: refused };
    const attempt = async () => {
      const value = await atTurn(async () => {
        const left = until - elapsedOn(clock);
        if (left <= 0) return { ok: false, reason: "timeout", message: "no answer in time" };
        return await send({
          method: "GET",
          url,
          headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
          timeout: left,
          maxBytes: maxBytes ?? this.#options.maxBytes,
          client: (target) => pinned.clientOf(target) ?? client.use(),
          follow: async (target) => await permits(target, new URL(url)) === undefined,
          floods: this.#floods,
        }, memory.take);
      });
      const isRetryable = value.ok
        ? value.status === 408 || value.status === 429 || value.status >= 500
        : value.reason === "network" || value.reason === "timeout";
      return { value, again: isRetryable ? value.ok ? retryAfter(value.headers, clock) : 0 : undefined };
    };
    try {
      return await withRetries(attempt, { clock, entropy, attempts, firstDelay, maxDelay: 2_000, until });
    } finally {
      pinned.close();
    }
  }
}
