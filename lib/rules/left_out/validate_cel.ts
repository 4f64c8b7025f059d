import type { validateCel as full } from "../validate_cel.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const validateCel: typeof full = leftOutRule({ type: "validate", name: "cel" });
