import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { Fault, field, isObject, type Json } from "../../json/mod.ts";
import { type CommunityInput, newBudget, spendShared } from "../../jmespath/mod.ts";
import { compileAssertions } from "./assertions.ts";
import type { Compilers } from "./compilers.ts";
import { compileTree, type TreeOptions } from "./tree.ts";
import { violationText } from "./violation.ts";

/** A compiled `validate.assert` of a ClusterPolicy or Policy. */
export interface RuleAssertion {
  /** The parts that do not compile, with paths below `validate`. The rule then answers with an error. */
  readonly problems: readonly PathDiagnostic[];
  /**
   * Returns one text for each violated leaf; none when the payload passes; a fault when it cannot be evaluated. The
   * payload is `{object, oldObject, admissionInfo, operation, namespaceLabels, resourceKind, …}`, and the rule's
   * context entries are bindings.
   */
  check(payload: Json, input: CommunityInput): readonly string[] | Fault;
}

/**
 * Compiles `validate.assert` of a rule: the tree itself, or `{any: […], all: […]}` with or without `check`, as the
 * documentation of assertion trees writes it. The payload has no fields of these names.
 */
export function compileRuleAssertion(assert: Json, compilers: Compilers): RuleAssertion {
  const problems: PathDiagnostic[] = [];
  const options: TreeOptions = { compilers, path: ["assert"], report: (problem) => problems.push(problem) };
  const check = isBlock(assert) ? checkOfBlock(assert, options) : checkOfTree(assert, options);
  const [first] = problems;
  if (first === undefined) return { problems, check };
  const fault = new Fault(`failed to apply assertion: ${first.message}`);
  return { problems, check: () => fault };
}

function isBlock(assert: Json): boolean {
  return isObject(assert) &&
    (Array.isArray(field(assert, "any")) || Array.isArray(field(assert, "all"))) &&
    Object.keys(assert).every((key) => key === "any" || key === "all" || key === "compiler");
}

function checkOfTree(assert: Json, options: TreeOptions): RuleAssertion["check"] {
  const tree = compileTree(assert, options);
  return (payload, input) => {
    const violations = withinSteps(input, (within) => tree(payload, within));
    return violations instanceof Fault ? failed(violations) : violations.map(violationText);
  };
}

function checkOfBlock(assert: Json, options: TreeOptions): RuleAssertion["check"] {
  const assertions = compileAssertions(assert, options);
  return (payload, input) => {
    const failures = withinSteps(input, (within) => assertions(payload, within));
    if (failures instanceof Fault) return failed(failures);
    return failures.flatMap(({ message, violations }) =>
      violations.map((violation) =>
        message === "" ? violationText(violation) : `${message}: ${violationText(violation)}`
      )
    );
  };
}

/** Runs with the steps of an evaluation, and takes what it uses from those of the rule. */
function withinSteps<T>(input: CommunityInput, run: (input: CommunityInput) => T): T {
  const budget = newBudget(input.environment), granted = budget.left;
  const result = run({ ...input, budget });
  spendShared(input.environment.budget, budget, granted);
  return result;
}

function failed(fault: Fault): Fault {
  return new Fault(`failed to apply assertion: ${fault.message}`);
}
