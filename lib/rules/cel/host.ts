import { failure, type Host } from "../../cel/mod.ts";
import type { RuleInput } from "../rule_kind.ts";

/** What answers functions that need the world, for one request. */
export function requestHost(_input: RuleInput): Host {
  return {
    answer: ({ library, name }) => failure(`${library}.${name} cannot be answered here`),
  };
}
