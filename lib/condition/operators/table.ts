import { equality } from "./equality.ts";
import { membership } from "./membership.ts";
import type { Operator } from "./operator.ts";
import { durationOrdering, ordering } from "./ordering.ts";
import { sets } from "./sets.ts";

const all: readonly Operator[] = [...equality, ...ordering, ...sets, ...membership, ...durationOrdering];

const byLowerName: ReadonlyMap<string, Operator> = new Map(
  all.flatMap((operator) =>
    [operator.name, operator.alias ?? operator.name].map((name) => [name.toLowerCase(), operator])
  ),
);

/** The operator with a name in any case; `undefined` when there is none. */
export function operatorNamed(name: string): Operator | undefined {
  return byLowerName.get(name.toLowerCase());
}

/** The names of all operators, for suggestions and documentation. */
export function operatorNames(): readonly string[] {
  return all.flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]);
}
