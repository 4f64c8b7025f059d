import { lookup } from "node:dns/promises";

/** The addresses that a host name stands for, as the machine's own look-up has them; fails when it has none. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host.replace(/^\[|\]$/g, ""), { all: true })).map(({ address }) => address);
}
