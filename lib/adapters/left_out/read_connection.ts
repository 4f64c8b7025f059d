import type { ClientUse, RenewedClient } from "../renewed_client.ts";

/** Replaces the connection that carries all reads: runtimes other than Deno have one client for all calls. */
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
