import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as digestNotes } from "./left_out_functions.ts";

export const digests = leftOutFunctions("sha256", "sha1", "md5");
