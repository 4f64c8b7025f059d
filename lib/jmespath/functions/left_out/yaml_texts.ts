import { leftOutFunctions } from "./left_out_functions.ts";
export { noNotes as yamlTextNotes } from "./left_out_functions.ts";

export const yamlTexts = leftOutFunctions("parse_yaml");
