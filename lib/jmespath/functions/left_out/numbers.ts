import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as numberNotes } from "./left_out_functions.ts";

export const numbers = leftOutFunctions("abs", "ceil", "floor", "avg", "max", "min", "to_number", "round");
