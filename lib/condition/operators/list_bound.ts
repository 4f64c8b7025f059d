import { Fault, isList, type Json } from "../../json/mod.ts";
import type { Operator } from "./operator.ts";

/**
 * The most elements of a list that set operators compare, which takes a tenth of a second. No policy comes near it; a
 * request of 3 MB has lists of a million elements, and one comparison cannot pause for other requests.
 */
const mostElements = 100_000;

/** Makes tests as `prepare` does, which are a fault when the value or the key is a list that is too long. */
export function withinListBound(prepare: Operator["prepare"]): Operator["prepare"] {
  return (value) => {
    const problem = tooLong(value.value);
    if (problem !== undefined) return () => problem;
    const test = prepare(value);
    return (key) => tooLong(key.value) ?? test(key);
  };
}

/** The fault of a list that is too long to be compared. */
export function tooLong(value: Json): Fault | undefined {
  if (!isList(value) || value.length <= mostElements) return undefined;
  return new Fault(
    `a condition compares a list of ${value.length} elements, at most ${mostElements} are allowed`,
  );
}
