/** Replaces the reader of a pod's token in bundles for runtimes other than Deno: there they read no files. */
class BearerToken {
  current(): Promise<string> {
    return Promise.resolve("");
  }

  renewed(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

export { BearerToken };
