import { Fault } from "../json/mod.ts";

/** Returns the addresses of a host name, at least one. A fault says why there are none. */
export type AddressLookup = (host: string) => Promise<readonly string[] | Fault>;

/** The addresses of a host name, from the machine's resolver. It works on Deno and on Node.js. */
export async function addressesOf(host: string): Promise<readonly string[] | Fault> {
  // Few policies call services or registries, so the module is loaded for the first call.
  const { lookup } = await import("node:dns/promises");
  const absent = new Fault("its name has no address");
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length === 0 ? absent : addresses.map(({ address }) => address);
  } catch (cause) {
    // Deno refuses look-ups of names that the permission does not have without a port.
    return (cause as { code?: unknown }).code === "EPERM"
      ? new Fault(`the process may not look its name up: allow it with --allow-net=${host}`)
      : absent;
  }
}

/** Picks the address to connect to. It prefers IPv4, because many cluster networks have no route for IPv6. */
export function addressToCall(addresses: readonly string[]): string | undefined {
  return addresses.find((address) => !address.includes(":")) ?? addresses[0];
}
