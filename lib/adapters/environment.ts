/**
 * Returns an environment variable of this process, on Deno and on Node; `undefined` when it is unset or empty, when the
 * process has no permission to read it, and on platforms without an environment.
 */
export function environmentVariable(name: string): string | undefined {
  if (typeof Deno === "undefined") return nodeEnvironment()[name] || undefined;
  // Deno would prompt the user in a terminal for a missing permission, so this looks the permission up first.
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
