import type { verifyImages as full } from "../verify_images.ts";
import { leftOutRule } from "../../left_out/left_out_rule.ts";

export const verifyImages: typeof full = leftOutRule({ type: "verifyImages", name: "verifyImages" });
