import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as locationNotes } from "./left_out_functions.ts";

export const locations = leftOutFunctions("path_canonicalize", "is_external_url");
