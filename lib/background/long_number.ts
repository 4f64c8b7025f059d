import { documentPathText, isList, type Json } from "../json/mod.ts";

/** The largest whole number of Kubernetes, as a double; the API server reads larger ones as doubles, too. */
const mostInt64 = 2 ** 63;

/**
 * The path of the first whole number of an object that is beyond 2^53, where doubles have no longer all digits;
 * `undefined` when there is none.
 *
 * ```ts
 * import { longNumberPath } from "./long_number.ts";
 * import assert from "node:assert/strict";
 * assert.equal(longNumberPath({ spec: { ids: [1, 9007199254740993] } }), "spec.ids[1]");
 * assert.equal(longNumberPath({ spec: { ratio: 0.5, most: 1e300 } }), undefined);
 * ```
 */
export function longNumberPath(object: Json): string | undefined {
  const path = search(object);
  return path && documentPathText(path.reverse());
}

/** The reversed path of the number. Objects of a cluster nest as deeply as their parser allows. */
function search(value: Json): (string | number)[] | undefined {
  if (typeof value === "number") return isLong(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of isList(value) ? value.entries() : Object.entries(value)) {
    const path = search(member as Json);
    if (path === undefined) continue;
    path.push(name);
    return path;
  }
  return undefined;
}

function isLong(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) <= mostInt64;
}
