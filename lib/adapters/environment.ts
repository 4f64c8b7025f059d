/**
 * A variable of this process's environment, on Deno and on Node; `undefined` when it is not set or empty, when it may not
 * be read, and where a platform has no environment.
 */
export function environmentVariable(name: string): string | undefined {
  if (typeof Deno === "undefined") return nodeEnvironment()[name] || undefined;
  // The permission is looked up first: without it a terminal would be prompted.
  if (Deno.permissions?.querySync?.({ name: "env", variable: name }).state === "prompt") return undefined;
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}

function nodeEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}
