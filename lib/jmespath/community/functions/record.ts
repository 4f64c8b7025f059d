import type { FunctionRecord } from "../../functions/record.ts";

/** A function of this dialect: a record as the other dialect has them, and how many last arguments may be left out. */
export interface CommunityFunction {
  readonly record: FunctionRecord;
  readonly optional: number;
}

/** The functions of the dialect, by name. */
export type CommunityTable = ReadonlyMap<string, CommunityFunction>;

/** A table of families of functions; of two functions with one name the later wins. */
export function communityTable(
  ...families: readonly (readonly (FunctionRecord | CommunityFunction)[])[]
): CommunityTable {
  const entries = families.flat().map((entry) => "record" in entry ? entry : { record: entry, optional: 0 });
  return new Map(entries.map((entry) => [entry.record.name, entry]));
}
