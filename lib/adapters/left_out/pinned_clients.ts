import { PinnedAddresses } from "../pinned_addresses.ts";
import { pinnedRequest } from "../pinned_request.ts";
import type { ClientUse } from "../renewed_client.ts";

/** Replaces pinned clients: runtimes other than Deno have one client, so pinned requests go without it. */
class PinnedClients extends PinnedAddresses {
  clientOf(url: URL): ClientUse | undefined {
    const address = this.addressOf(url);
    return address === undefined ? undefined : {
      client: undefined,
      fetch: (target, init) => pinnedRequest(target, init, address),
      arrived() {},
      gaveUp() {},
    };
  }

  close(): void {}
}

export { PinnedClients };
