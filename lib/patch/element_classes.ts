import { equal, isList, isObject, type Json } from "../json/mod.ts";

/** The values that comparing each element with each other may visit. More takes tens of milliseconds. */
const mostVisits = 100_000;

/** Whether two elements of two lists are equal; the indices are those in the old list and in the fresh one. */
export type SameElement = (old: number, fresh: number) => boolean;

/**
 * Returns the equality of the elements of two lists. Large elements are not compared with each other: equal ones have
 * the same text, which is written once for each. Four hundred elements that differ only at their ends would otherwise
 * take 18 seconds.
 */
export function sameElements(old: readonly Json[], fresh: readonly Json[]): SameElement {
  const visits = valuesIn(old, mostVisits) * fresh.length + valuesIn(fresh, mostVisits) * old.length;
  if (visits <= mostVisits) return (i, j) => equal(old[i]!, fresh[j]!);
  const classes = new Map<string, number>();
  const classOf = (value: Json): number => {
    const text = canonicalText(value), number = classes.get(text) ?? classes.size;
    classes.set(text, number);
    return number;
  };
  const ofOld = old.map(classOf), ofFresh = fresh.map(classOf);
  return (i, j) => ofOld[i] === ofFresh[j];
}

/** The number of values in a value. Counting ends soon after the limit. */
export function valuesIn(value: Json, limit: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  for (const inner of isList(value) ? value : Object.values(value)) {
    values += valuesIn(inner, limit - values);
    if (values > limit) break;
  }
  return values;
}

/** JSON text that equal values have alike: the fields of each object are sorted. */
function canonicalText(value: Json): string {
  if (isList(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name]!)}`).join()}}`;
}
