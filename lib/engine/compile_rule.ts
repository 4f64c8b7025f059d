import { compileConditions, type Conditions } from "../condition/mod.ts";
import { type Need, readsRoles } from "../context/mod.ts";
import type { Diagnostic, PathDiagnostic } from "../diagnostics/mod.ts";
import { type DocumentPath, isFault, type Json } from "../json/mod.ts";
import { compileWildcard } from "../kube/mod.ts";
import { compileExceptionMatch, compileSelector, type Dialect } from "../match/mod.ts";
import type { Policy, PolicyException, Rule } from "../policy/mod.ts";
import { compileBodies, compileContext, ruleConditions, type RuleTools } from "../rules/mod.ts";
import type { Use } from "../template/mod.ts";
import { compileAction } from "./action.ts";
import { matchVariables, variableProblems } from "./check_variables.ts";
import type { CompiledException, CompiledRule } from "./compiled.ts";
import { ConstantResults } from "./plan/constant_results.ts";
import { compileOwnImages } from "./own_images.ts";
import { compileReportProperties } from "./report_properties.ts";

/** What a rule is compiled with. */
export interface CompileRuleOptions {
  readonly policy: Policy;
  readonly exceptions: readonly PolicyException[];
  /** An error of the policy as a whole, which none of its rules can be trusted with. */
  readonly broken: Diagnostic | undefined;
  readonly dialect: Dialect;
  report(diagnostic: Diagnostic): void;
}

/**
 * Compiles one rule, for each phase that it runs in. It is returned even when it is broken, and then answers every request
 * that it matches with an error.
 */
export function compileRule(rule: Rule, options: CompileRuleOptions): CompiledRule[] {
  const { policy, dialect } = options;
  let broken: Pick<PathDiagnostic, "message"> | undefined = options.broken;
  const needs: Need[] = [];
  const need = (found: Need): void => void needs.push(found);
  const tools: Omit<RuleTools, "rule"> = { policy, dialect, report, variables, need };
  for (const problem of matchVariables(rule)) report(problem);
  const selector = compileSelector(rule, dialect);
  if (selector.match.filters.every((filter) => filter.empty)) {
    tell({
      severity: "error",
      code: "empty-match",
      message: `Rule "${rule.name}" matches nothing`,
      hint: "name kinds, a selector or users under match",
      path: ["match"],
    });
  }
  const bodies = compileBodies(rule, tools);
  const declared = compileContext(rule.context, tools, []);
  const images = rule.imageExtractors && compileOwnImages(rule.imageExtractors, report);
  const preconditions = compilePreconditions(rule.preconditions);
  const exceptions = options.exceptions.flatMap((exception) =>
    compileException(exception, policy, rule) ?? []
  );
  const properties = rule.reportProperties &&
    compileReportProperties(rule.reportProperties, (uses) => variables(uses, ["reportProperties"]));
  for (const { conditions } of exceptions) {
    if (conditions?.uses.some(({ paths }) => readsRoles(paths))) need({ kind: "roles" });
  }
  const matches = [selector, ...exceptions.flatMap(({ match }) => match.filters)];
  if (matches.some(({ needsRoles }) => needsRoles)) need({ kind: "roles" });
  if (matches.some(({ needsNamespaceLabels }) => needsNamespaceLabels) || hasSelectorOverride(policy, rule)) {
    need({ kind: "namespaceLabels" });
  }
  const shared = {
    rule,
    selector,
    entries: images === undefined ? declared : [images, ...declared],
    preconditions,
    exceptions,
    action: compileAction(policy, rule),
    properties,
    needs,
    needsRoles: needs.some(({ kind }) => kind === "roles"),
    needsNamespaceLabels: needs.some(({ kind }) => kind === "namespaceLabels"),
  };
  return bodies.map(({ type, kind, body }) => {
    const used = broken === undefined ? body : brokenBody(broken, body);
    return {
      ...shared,
      type,
      kind,
      body: used,
      constantResults: new ConstantResults(used, { rule: rule.name, type }),
    };
  });

  function compilePreconditions(written: Json | undefined): Conditions | undefined {
    if (written === undefined || written === null) return undefined;
    return ruleConditions(written, tools, ["preconditions"]);
  }

  /** Unknown variables are told, but the rule runs: what it says of them then is Kyverno's own text. */
  function variables(uses: readonly Use[], path: DocumentPath): void {
    if (uses.some(({ paths }) => readsRoles(paths))) need({ kind: "roles" });
    if (rule.generatedFor !== undefined) return;
    for (const problem of variableProblems(uses, { rule, path, background: policy.background })) {
      tell(problem);
    }
  }

  function report(problem: PathDiagnostic): void {
    if (problem.severity === "error") broken ??= problem;
    // A generated rule repeats the problems of the rule that the user wrote.
    if (rule.generatedFor === undefined) tell(problem);
  }

  function tell({ path, ...rest }: PathDiagnostic): void {
    const position = policy.locate([...rule.path, ...path]);
    options.report({ ...rest, policy: policy.key, rule: rule.name, ...(position && { position }) });
  }
}

/** The body of a rule that cannot run: its failurePolicy decides what becomes of the requests that it matches. */
function brokenBody(
  problem: Pick<PathDiagnostic, "message">,
  { downstream }: CompiledRule["body"],
): CompiledRule["body"] {
  const message = `the rule cannot be used: ${problem.message}`;
  const outcome = { result: "error", message, meaning: "unusable" } as const;
  // What it made while it could run is still known by its types.
  return { run: () => outcome, constants: [outcome], ...(downstream && { downstream }) };
}

function compileException(
  exception: PolicyException,
  policy: Policy,
  rule: Rule,
): CompiledException | undefined {
  const concerned = exception.targets.some(({ policyName, ruleNames }) =>
    policyName === policy.key && ruleNames.some((name) => compileWildcard(name)(rule.name))
  );
  if (!concerned) return undefined;
  const match = compileExceptionMatch(exception.match);
  if (exception.conditions === undefined || exception.conditions === null) {
    return { exception, match, conditions: undefined };
  }
  // The older documentation knows no exceptions, and a variable without a value must not open a gate.
  const conditions = compileConditions(exception.conditions, { dialect: "current", evaluator: "exception" });
  // An exception whose conditions cannot be read excepts nothing.
  return isFault(conditions) ? undefined : { exception, match, conditions };
}

function hasSelectorOverride(policy: Policy, rule: Rule): boolean {
  return [...policy.overrides, ...rule.overrides].some((override) =>
    override.namespaceSelector !== undefined
  );
}
