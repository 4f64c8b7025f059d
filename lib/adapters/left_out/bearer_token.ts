/** Stands in for the token of a pod, which bundles read on Deno only. */
class BearerToken {
  current(): Promise<string> {
    return Promise.resolve("");
  }

  renewed(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

export { BearerToken };
