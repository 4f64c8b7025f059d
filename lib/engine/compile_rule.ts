import type { Conditions } from "../condition/mod.ts";
import { type Need, readsRoles } from "../context/mod.ts";
import { type Diagnostic, type PathDiagnostic, withPosition } from "../diagnostics/mod.ts";
import type { DocumentPath, Json } from "../json/mod.ts";
import { compileSelector, type Dialect, type RuleSelector } from "../match/mod.ts";
import type { Policy, Rule } from "../policy/mod.ts";
import {
  compileBodies,
  compileContext,
  type CompiledConditions,
  type RuleBody,
  ruleConditions,
  type RuleTools,
} from "../rules/mod.ts";
import type { Use } from "../template/mod.ts";
import { compileAction } from "./action.ts";
import { matchProblems } from "./match_problems.ts";
import { variableProblems } from "./variable_problems.ts";
import type { CompiledException, CompiledRule, RuleExceptions } from "./compiled.ts";
import { ConstantResults } from "./plan/constant_results.ts";
import { compileRuleImages } from "./rule_images.ts";
import { compileReportProperties } from "./report_properties.ts";

/** The options of compiling a rule. */
export interface CompileRuleOptions {
  readonly policy: Policy;
  /** The exceptions of a rule, by its name. */
  readonly exceptions: (rule: string) => RuleExceptions;
  /** An error of the whole policy, which makes all its rules unusable. */
  readonly broken: Diagnostic | undefined;
  /** Whether variables of the user are problems, because background scans have none. */
  readonly withoutUser: boolean;
  readonly dialect: Dialect;
  readonly conditions: CompiledConditions;
  readonly conflicts: RuleTools["conflicts"];
  report(diagnostic: Diagnostic): void;
}

/**
 * Compiles one rule for each phase in which it runs. A broken rule is compiled too, and answers every request that it
 * matches with an error.
 */
export function compileRule(rule: Rule<RuleBody>, options: CompileRuleOptions): CompiledRule[] {
  return new RuleCompiler(rule, options).compile();
}

class RuleCompiler {
  readonly #rule: Rule<RuleBody>;
  readonly #options: CompileRuleOptions;
  readonly #tools: Omit<RuleTools, "rule">;
  readonly #needs: Need[] = [];
  #broken: Pick<PathDiagnostic, "message"> | undefined;

  constructor(rule: Rule<RuleBody>, options: CompileRuleOptions) {
    this.#rule = rule;
    this.#options = options;
    this.#broken = options.broken;
    this.#tools = {
      policy: options.policy,
      dialect: options.dialect,
      conditions: options.conditions,
      conflicts: options.conflicts,
      report: (problem) => this.#report(problem),
      variables: (uses, path) => this.#variables(uses, path),
      need: (need) => this.#need(need),
    };
  }

  compile(): CompiledRule[] {
    const rule = this.#rule;
    const { policy, dialect } = this.#options;
    for (const problem of matchProblems(rule)) this.#report(problem);
    const selector = compileSelector(rule, dialect);
    if (selector.match.filters.every((filter) => filter.empty)) this.#matchesNothing();
    const bodies = compileBodies(rule, this.#tools);
    const declared = compileContext(rule.context, this.#tools, []);
    const images = rule.imageExtractors &&
      compileRuleImages(rule.imageExtractors, (problem) => this.#report(problem));
    const preconditions = this.#preconditions(rule.preconditions);
    const exceptions = this.#options.exceptions(rule.name);
    const properties = rule.reportProperties &&
      compileReportProperties(rule.reportProperties, (uses) => this.#variables(uses, ["reportProperties"]));
    this.#matchNeeds(selector, exceptions.all);
    const needs = this.#needs;
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
    return bodies.map(({ body, ...phase }) => {
      const used = this.#broken === undefined ? body : brokenBody(this.#broken, body);
      const constantResults = new ConstantResults(used, { rule: rule.name, type: phase.type });
      return { ...shared, ...phase, body: used, constantResults };
    });
  }

  #need(need: Need): void {
    this.#needs.push(need);
  }

  #matchesNothing(): void {
    this.#add({
      severity: "error",
      code: "empty-match",
      message: `Rule "${this.#rule.name}" matches nothing`,
      hint: "name kinds, a selector or users under match",
      path: ["match"],
    });
  }

  /** Collects the loads that matching the rule and its exceptions needs. */
  #matchNeeds(selector: RuleSelector, exceptions: readonly CompiledException[]): void {
    for (const { conditions } of exceptions) {
      if (conditions?.uses.some(({ paths }) => readsRoles(paths))) this.#need({ kind: "roles" });
    }
    const matches = [selector, ...exceptions.flatMap(({ match }) => match.filters)];
    if (matches.some(({ needsRoles }) => needsRoles)) this.#need({ kind: "roles" });
    const isOverridden = hasSelectorOverride(this.#options.policy, this.#rule);
    if (isOverridden || matches.some(({ needsNamespaceLabels }) => needsNamespaceLabels)) {
      this.#need({ kind: "namespaceLabels" });
    }
  }

  #preconditions(written: Json | undefined): Conditions | undefined {
    if (written === undefined || written === null) return undefined;
    return ruleConditions(written, this.#tools, ["preconditions"]);
  }

  /** The loader reports unknown variables, but the rule runs and returns the fault of the variable. */
  #variables(uses: readonly Use[], path: DocumentPath): void {
    if (uses.some(({ paths }) => readsRoles(paths))) this.#need({ kind: "roles" });
    const rule = this.#rule;
    const { withoutUser } = this.#options;
    // An autogen rule has the variables of the written rule.
    if (rule.generatedFor !== undefined) return;
    for (const problem of variableProblems(uses, { rule, path, withoutUser })) this.#report(problem);
  }

  #report(problem: PathDiagnostic): void {
    if (problem.severity === "error") this.#broken ??= problem;
    // An autogen rule has the same problems as the written rule.
    if (this.#rule.generatedFor === undefined) this.#add(problem);
  }

  #add(problem: PathDiagnostic): void {
    const { policy, report } = this.#options, { name, path } = this.#rule;
    const diagnostic = withPosition({ ...problem, path: [...path, ...problem.path] }, policy.locate);
    report({ ...diagnostic, policy: policy.key, rule: name });
  }
}

/** The body of a rule that cannot run: the failurePolicy decides about the requests that it matches. */
function brokenBody(
  problem: Pick<PathDiagnostic, "message">,
  { downstream }: CompiledRule["body"],
): CompiledRule["body"] {
  const message = `the rule cannot be used: ${problem.message}`;
  const outcome = { result: "error", message, meaning: "unusable" } as const;
  // The types of the objects that the rule generated while it could run are still in its text.
  return { run: () => outcome, constants: [outcome], ...(downstream && { downstream }) };
}

function hasSelectorOverride(policy: Policy, rule: Rule): boolean {
  return [...policy.overrides, ...rule.overrides].some((override) =>
    override.namespaceSelector !== undefined
  );
}
