import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as listNotes } from "./left_out_functions.ts";

export const lists = leftOutFunctions(
  "length",
  "contains",
  "join",
  "reverse",
  "sort",
  "to_array",
  "not_null",
  "map",
  "sort_by",
  "max_by",
  "min_by",
);
