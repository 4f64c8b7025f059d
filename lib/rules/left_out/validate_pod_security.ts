import type { compilePodSecurityRule as full } from "../validate_pod_security.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const compilePodSecurityRule: typeof full = leftOutRule("podSecurity");
export const controlNames: readonly string[] = [];
