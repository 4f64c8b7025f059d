import type { Clock } from "../ports.ts";
import { BearerToken } from "./bearer_token.ts";
import type { Endpoint } from "./kubeconfig.ts";

/** Milliseconds for which a token that was read from a file is used. */
const tokenHolds = 10_000;

/** The token or password with which calls of an API server say who makes them. */
export class ApiCredentials {
  readonly #endpoint: Endpoint;
  readonly #fileToken: BearerToken | undefined;

  constructor(
    endpoint: Endpoint,
    { readText, clock }: { readonly readText: (path: string) => Promise<string>; readonly clock: Clock },
  ) {
    this.#endpoint = endpoint;
    const { tokenFile: file } = endpoint;
    this.#fileToken = file === undefined
      ? undefined
      : new BearerToken({ file, readText, clock, holds: tokenHolds });
  }

  /** The header `Authorization`; absent without credentials, and with a client certificate alone. */
  async authorization(): Promise<string | undefined> {
    const { basic, token } = this.#endpoint;
    const bearer = this.#fileToken === undefined ? token : await this.#fileToken.current();
    if (bearer !== undefined && bearer !== "") return `Bearer ${bearer}`;
    if (basic === undefined) return undefined;
    const pair = new TextEncoder().encode(`${basic.username}:${basic.password}`);
    return `Basic ${btoa(String.fromCharCode(...pair))}`;
  }

  /** Reads the token file again, after the API server refused the token; whether it has a new one. */
  async renewed(): Promise<boolean> {
    return await this.#fileToken?.renewed() === true;
  }
}
