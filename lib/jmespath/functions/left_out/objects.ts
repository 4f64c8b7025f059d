import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as objectNotes } from "./left_out_functions.ts";

export const objects = leftOutFunctions(
  "keys",
  "values",
  "merge",
  "lookup",
  "items",
  "object_from_lists",
  "label_match",
);
