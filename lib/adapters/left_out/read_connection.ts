import type { ClientUse, RenewedClient } from "../renewed_client.ts";

/** Stands in for the connection of reads: runtimes other than Deno have one client. */
class ReadConnection {
  readonly #clients: RenewedClient;

  constructor(clients: RenewedClient) {
    this.#clients = clients;
  }

  use(): ClientUse {
    return this.#clients.use();
  }

  close(): void {}
}

export { ReadConnection };
