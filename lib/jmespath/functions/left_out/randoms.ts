import { leftOutFunctions } from "./left_out_functions.ts";

export const randoms = leftOutFunctions("random");
