/** Why a file could not be read or written. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return error instanceof Error ? error.message : String(error);
}
