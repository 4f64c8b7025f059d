/** Returns the addresses of a host name; fails when it has none. */
export type AddressLookup = (host: string) => Promise<readonly string[]>;

/** The addresses of a host name, from the machine's resolver. It works on Deno and on Node.js. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  // Few policies call services or registries, so the module is loaded for the first call.
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host.replace(/^\[|\]$/g, ""), { all: true })).map(({ address }) => address);
}
