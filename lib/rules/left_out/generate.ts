import type { compileGenerate as full } from "../generate.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const compileGenerate: typeof full = leftOutRule("generate");
