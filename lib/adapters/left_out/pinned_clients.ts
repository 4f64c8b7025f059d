/** Stands in for pinned clients: runtimes other than Deno have one client, and bundles look no names up. */
class PinnedClients {
  pin(): void {}

  clientOf(): undefined {
    return undefined;
  }

  close(): void {}
}

export { PinnedClients };
