import type { generate as full } from "../generate.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const generate: typeof full = leftOutRule({ type: "generate", name: "generate" });
