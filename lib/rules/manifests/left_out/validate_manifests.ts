import type { compileManifestsRule as full } from "../validate_manifests.ts";
import { leftOutRule } from "../../left_out/left_out_rule.ts";

export const compileManifestsRule: typeof full = leftOutRule("manifests");
