/** The addresses that Postern checked, by the host of the URL. */
export class PinnedAddresses {
  readonly #addresses = new Map<string, string>();

  /** Keeps the first address of a host. Only plain HTTP needs it: over TLS the server's certificate proves its name. */
  pin({ protocol, host }: URL, address: string): void {
    if (protocol === "http:" && !this.#addresses.has(host)) this.#addresses.set(host, address);
  }

  /** The address to call for a URL; `undefined` when its host is not pinned. */
  addressOf({ protocol, host }: URL): string | undefined {
    return protocol === "http:" ? this.#addresses.get(host) : undefined;
  }
}
