import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as arithmeticNotes } from "./left_out_functions.ts";

export const arithmetic = leftOutFunctions("add", "subtract", "multiply", "divide", "modulo", "sum");
