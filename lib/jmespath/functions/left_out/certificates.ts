import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as certificateNotes } from "./left_out_functions.ts";

export const certificates = leftOutFunctions("x509_decode");
