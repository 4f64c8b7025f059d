import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as encodingNotes } from "./left_out_functions.ts";

export const encodings = leftOutFunctions("base64_decode", "base64_encode", "parse_json");
