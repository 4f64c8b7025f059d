import type { compileAssertRule as full } from "../validate_assert.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const compileAssertRule: typeof full = leftOutRule("assert");
