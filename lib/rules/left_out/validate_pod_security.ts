import type { validatePodSecurity as full } from "../validate_pod_security.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const validatePodSecurity: typeof full = leftOutRule({ type: "validate", name: "podSecurity" });
