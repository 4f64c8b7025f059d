import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as randomNotes } from "./left_out_functions.ts";

export const randoms = leftOutFunctions("random");
