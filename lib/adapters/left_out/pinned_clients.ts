import { pinnedRequest } from "../pinned_request.ts";
import type { ClientUse } from "../renewed_client.ts";

/** Replaces pinned clients: runtimes other than Deno have one client, so pinned requests go without it. */
class PinnedClients {
  readonly #addresses = new Map<string, string>();

  pin({ protocol, host }: URL, address: string): void {
    if (protocol === "http:" && !this.#addresses.has(host)) this.#addresses.set(host, address);
  }

  clientOf({ protocol, host }: URL): ClientUse | undefined {
    const address = protocol === "http:" ? this.#addresses.get(host) : undefined;
    return address === undefined ? undefined : {
      client: undefined,
      fetch: (url, init) => pinnedRequest(url, init, address),
      arrived() {},
      gaveUp() {},
    };
  }

  close(): void {}
}

export { PinnedClients };
