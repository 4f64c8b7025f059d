import { PinnedAddresses } from "./pinned_addresses.ts";
import { type ClientUse, singleUse } from "./renewed_client.ts";

/**
 * HTTP clients that connect to the address that Postern checked, even when DNS now returns another one, which could be
 * a loopback or link-local address.
 */
export class PinnedClients extends PinnedAddresses {
  readonly #clients = new Map<string, Deno.HttpClient>();

  /** The client for a URL that is pinned. It throws, as `fetch` does, when the process may not call the address. */
  clientOf(url: URL): ClientUse | undefined {
    const { host, port } = url, hostname = this.addressOf(url);
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
