import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as typeNotes } from "./left_out_functions.ts";

export const types = leftOutFunctions("type", "to_string", "to_boolean");
