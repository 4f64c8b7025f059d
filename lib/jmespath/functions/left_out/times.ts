import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as timeNotes } from "./left_out_functions.ts";

export const times = leftOutFunctions(
  "time_since",
  "time_now",
  "time_now_utc",
  "time_add",
  "time_parse",
  "time_to_cron",
  "time_utc",
  "time_diff",
  "time_before",
  "time_after",
  "time_between",
  "time_truncate",
);
