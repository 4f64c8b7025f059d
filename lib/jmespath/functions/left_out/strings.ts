import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as stringNotes } from "./left_out_functions.ts";

export const strings = leftOutFunctions(
  "starts_with",
  "ends_with",
  "compare",
  "equal_fold",
  "replace",
  "replace_all",
  "to_upper",
  "to_lower",
  "trim",
  "trim_prefix",
  "split",
  "truncate",
);
