import { type ClientUse, singleUse } from "./renewed_client.ts";

/**
 * HTTP clients that connect to the address that Postern checked, even when DNS now returns another one, which could be
 * a loopback or link-local address. Only plain HTTP needs them: over TLS the server's certificate proves its name.
 */
export class PinnedClients {
  readonly #clients = new Map<string, Deno.HttpClient>();

  pin({ protocol, host, port }: URL, address: string): void {
    if (protocol !== "http:" || this.#clients.has(host)) return;
    const proxy = { transport: "tcp", hostname: address, port: Number(port === "" ? 80 : port) } as const;
    this.#clients.set(host, Deno.createHttpClient({ proxy }));
  }

  clientOf({ protocol, host }: URL): ClientUse | undefined {
    const client = protocol === "http:" ? this.#clients.get(host) : undefined;
    return client && singleUse(client);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
