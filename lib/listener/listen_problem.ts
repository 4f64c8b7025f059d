/** Why a port cannot be opened, and what helps, from the runtime's error. */
export function listenProblem(hostname: string, port: number, cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const listed = causes.find(([pattern]) => pattern.test(text));
  return `cannot listen on ${hostname}:${port}: ${listed?.[1] ?? text}`;
}

/** The runtime words one cause in two ways: those of Node.js for the webhook's port, its own for the probes' port. */
const causes: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/EADDRINUSE|address already in use/i, "another program has this port: stop it, or take another port"],
  [/EACCES|permission denied/i, "this user may not open the port: take one above 1023"],
  [/EADDRNOTAVAIL|cannot assign requested address/i, "this machine has no such address"],
  [/ENOTFOUND|failed to lookup|not known/i, "no such host is known"],
  [/>= 0 and < 65536|invalid port|out of range/i, "a port is at most 65535"],
];
