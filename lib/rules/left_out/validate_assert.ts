import type { validateAssert as full } from "../validate_assert.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const validateAssert: typeof full = leftOutRule({ type: "validate", name: "assert" });
