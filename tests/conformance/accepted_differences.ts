import { join } from "node:path";

/**
 * A group of rows that differ for one reason, as written in `accepted_differences/SET.json` (slashes become dashes).
 */
interface AcceptedDifference {
  /** Why Postern answers otherwise, for a maintainer. */
  readonly reason: string;
  readonly aspect: string;
  /** Row names; `name x8` for a row of which eight checks differ. */
  readonly rows: readonly string[];
}

/** Why a row differs, and in how many checks. */
export interface AcceptedRow {
  readonly reason: string;
  readonly checks: number;
}

/** A set's known differences, by `ROW ASPECT`. The lists may only shrink. */
export function acceptedDifferences(set: string): ReadonlyMap<string, AcceptedRow> {
  const path = join(import.meta.dirname!, "accepted_differences", `${set.replaceAll("/", "-")}.json`);
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return new Map();
    throw cause;
  }
  const accepted = new Map<string, AcceptedRow>();
  for (const { reason, aspect, rows } of JSON.parse(text) as AcceptedDifference[]) {
    for (const row of rows) {
      const [, name, count] = /^(.*?)(?: x(\d+))?$/.exec(row)!;
      accepted.set(`${name} ${aspect}`, { reason, checks: Number(count ?? 1) });
    }
  }
  return accepted;
}
