import type { validateManifests as full } from "../validate_manifests.ts";
import { leftOutRule } from "../../left_out/left_out_rule.ts";

export const validateManifests: typeof full = leftOutRule({ type: "validate", name: "manifests" });
