import type { compileCelRule as full } from "../validate_cel.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const compileCelRule: typeof full = leftOutRule("cel");
