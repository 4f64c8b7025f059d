import type * as full from "../renewed_client.ts";

const use: full.ClientUse = { client: undefined, arrived() {}, gaveUp() {} };

/** Replaces the clients of Deno: other runtimes have one client, which replaces dead connections itself. */
class RenewedClient {
  static ofRuntime(): RenewedClient {
    return new RenewedClient();
  }

  use(): full.ClientUse {
    return use;
  }

  close(): void {}
}

function singleUse(): full.ClientUse {
  return use;
}

export { RenewedClient, singleUse };
