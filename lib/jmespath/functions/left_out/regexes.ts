import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as regexNotes } from "./left_out_functions.ts";

export const regexes = leftOutFunctions("regex_match", "regex_replace_all", "regex_replace_all_literal");
