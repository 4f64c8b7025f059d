import type { mutateExisting as full } from "../mutate_existing.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const mutateExisting: typeof full = leftOutRule({ type: "mutateExisting", name: "mutateExisting" });
