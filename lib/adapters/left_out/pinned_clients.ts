/** Replaces pinned clients: runtimes other than Deno have one client, and bundles look up no host names. */
class PinnedClients {
  pin(): void {}

  clientOf(): undefined {
    return undefined;
  }

  close(): void {}
}

export { PinnedClients };
