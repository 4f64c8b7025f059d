import { lookup } from "node:dns/promises";

/** The addresses of a host name, from the machine's resolver; fails when it has none. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host.replace(/^\[|\]$/g, ""), { all: true })).map(({ address }) => address);
}
