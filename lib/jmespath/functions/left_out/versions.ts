import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as versionNotes } from "./left_out_functions.ts";

export const versions = leftOutFunctions("semver_compare");
