import { Fault } from "../json/mod.ts";
import { compileWildcard, hasWildcard } from "../kube/mod.ts";
import type { Expectation } from "./test_case.ts";

/** Selects entries of tests' results. */
export interface TestSelector {
  /** The entry with only the selected resources; `undefined` when it is not selected. */
  select(expectation: Expectation): Expectation | undefined;
}

const keys: readonly string[] = ["policy", "rule", "resource"];

/**
 * Parses `policy=P,rule=R,resource=X`, each a wildcard. Kyverno parity: an entry without a rule or resources is
 * selected by any, and then tests the resource that the selector names. Pinned by tests/cli/test_command_test.ts.
 */
export function readTestSelector(text: string): TestSelector | Fault {
  const parts = text.split(",").filter((part) => part.trim() !== "").map((part) =>
    part.split("=").map((side) => side.trim())
  );
  for (const part of parts) {
    if (part.length !== 2 || !keys.includes(part[0]!)) {
      return new Fault(
        `a test case selector is made of policy=NAME, rule=NAME and resource=NAME, not "${part.join("=")}"`,
      );
    }
  }
  const predicates = (key: string): ((name: string) => boolean)[] =>
    parts.filter(([name]) => name === key).map(([, pattern]) => compileWildcard(pattern!));
  const [policies, rules, resources] = [predicates("policy"), predicates("rule"), predicates("resource")];
  const named = parts.filter(([key, pattern]) => key === "resource" && !hasWildcard(pattern!)).map((part) =>
    part[1]!
  );
  return {
    select(expectation) {
      const { policy, rule, resources: list = [] } = expectation;
      const meant = list.filter((name) => resources.every((matches) => matches(name)));
      const chosen = policies.every((matches) => matches(policy)) &&
        (rule === "" || rules.every((matches) => matches(rule))) &&
        (list.length === 0 || meant.length > 0);
      if (!chosen) return undefined;
      if (list.length > 0) return { ...expectation, resources: meant };
      return named.length === 0 ? expectation : { ...expectation, resources: named };
    },
  };
}
