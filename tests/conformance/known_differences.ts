import { join } from "node:path";

/** A group of rows that differ for one reason, as written in `known_differences/SET.json` (slashes become dashes). */
interface KnownDifference {
  /** Why Postern answers otherwise, for a maintainer. */
  readonly reason: string;
  readonly aspect: string;
  readonly rows: readonly string[];
}

/** The reasons of a set's known differences, by `ROW ASPECT`. The lists may only shrink. */
export function knownDifferences(set: string): ReadonlyMap<string, string> {
  const path = join(import.meta.dirname!, "known_differences", `${set.replaceAll("/", "-")}.json`);
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return new Map();
    throw cause;
  }
  const known = new Map<string, string>();
  for (const { reason, aspect, rows } of JSON.parse(text) as KnownDifference[]) {
    for (const row of rows) known.set(`${row} ${aspect}`, reason);
  }
  return known;
}
