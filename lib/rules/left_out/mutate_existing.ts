import type { compileMutateExisting as full } from "../mutate_existing.ts";
import { leftOutRule } from "./left_out_rule.ts";

export const compileMutateExisting: typeof full = leftOutRule("mutateExisting");
