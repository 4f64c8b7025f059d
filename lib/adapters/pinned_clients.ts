import { type ClientUse, singleUse } from "./renewed_client.ts";

/**
 * HTTP clients that connect to the address that Postern checked, even when DNS now returns another one, which could be
 * a loopback or link-local address. Only plain HTTP needs them: over TLS the server's certificate proves its name.
 */
export class PinnedClients {
  readonly #addresses = new Map<string, string>();
  readonly #clients = new Map<string, Deno.HttpClient>();

  pin({ protocol, host }: URL, address: string): void {
    if (protocol === "http:" && !this.#addresses.has(host)) this.#addresses.set(host, address);
  }

  /** The client for a URL that is pinned. It throws, as `fetch` does, when the process may not call the address. */
  clientOf({ protocol, host, port }: URL): ClientUse | undefined {
    const hostname = protocol === "http:" ? this.#addresses.get(host) : undefined;
    if (hostname === undefined) return undefined;
    let client = this.#clients.get(host);
    if (client === undefined) {
      const proxy = { transport: "tcp", hostname, port: Number(port === "" ? 80 : port) } as const;
      this.#clients.set(host, client = Deno.createHttpClient({ proxy }));
    }
    return singleUse(client);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
