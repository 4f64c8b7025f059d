import type { Need } from "../context/mod.ts";
import { type Diagnostic, type PathDiagnostic, withPosition } from "../diagnostics/mod.ts";
import {
  asObject,
  asString,
  asTexts,
  dig,
  field,
  groupBy,
  groupByKeys,
  isObject,
  type JsonObject,
  type Stages,
} from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { compileConstraints, type RuleSelector } from "../match/mod.ts";
import { type CelException, type CelPolicy, isCelException, type LocatedDocument } from "../policy/mod.ts";
import { parseCelPolicy } from "../documents/mod.ts";
import {
  type CompiledBody,
  error,
  type Outcome,
  type PolicyKind,
  policyKindsOf,
  type PolicyTools,
  rankOf,
} from "../rules/mod.ts";
import { constraintProblems } from "./match_problems.ts";
import { type CompiledPolicy, type CompiledRule, withoutExceptions } from "./compiled.ts";
import { celRefusals, type RefusedPolicies } from "./kyverno_refusals.ts";
import { ConstantResults } from "./plan/constant_results.ts";

/** A CEL policy with the other documents that it depends on. */
export interface CelPolicyInput {
  readonly document: LocatedDocument;
  readonly kind: PolicyKind;
  /** The further kinds of a policy that has rules of several kinds. */
  readonly further: readonly PolicyKind[];
  /** The exceptions that name the policy. */
  readonly exceptions: readonly CelException[];
  readonly bindings: readonly LocatedDocument[];
}

/** The CEL policies among documents, in the order in which their kinds are evaluated. */
export function celPolicies(
  documents: readonly LocatedDocument[],
  exceptionOf: (document: LocatedDocument) => CelException,
): CelPolicyInput[] {
  const exceptions = byReference(documents.filter(isCelException).map(exceptionOf));
  const bound = groupBy(
    documents.filter(({ kind }) => kind.endsWith("Binding")),
    ({ group, kind, document }) => `${group}/${kind} ${asString(dig(document, "spec", "policyName"))}`,
  );
  return documents.flatMap((document): CelPolicyInput[] => {
    const [kind, ...further] = policyKindsOf(document);
    if (kind === undefined) return [];
    const name = nameOf(document.document);
    return [{
      document,
      kind,
      further,
      exceptions: exceptions.get(`${document.kind} ${name}`) ?? [],
      bindings: bound.get(`${document.group}/${document.kind}Binding ${name}`) ?? [],
    }];
  }).sort((left, right) => rankOf(left.kind) - rankOf(right.kind));
}

/** Exceptions by the kind and name of each policy that they name, in the order of their documents. */
function byReference(exceptions: readonly CelException[]): ReadonlyMap<string, readonly CelException[]> {
  return groupByKeys(exceptions, ({ references }) => references.map(({ kind, name }) => `${kind} ${name}`));
}

/** The options of compiling a CEL policy. */
export interface CompileCelPolicyOptions extends Pick<PolicyTools, "once"> {
  /** Whether policies that the API server enforces itself are also evaluated at admission. */
  readonly admissionPolicies: "leftToApiServer" | "served";
  /** Whether policies that the API server refuses to store are evaluated. */
  readonly refusedByKyverno: RefusedPolicies;
  report(diagnostic: Diagnostic): void;
}

/**
 * Compiles a policy with its exceptions and bindings, each spec in a stage. A broken policy answers as its
 * failurePolicy says.
 */
export function* compileCelPolicy(
  input: CelPolicyInput,
  options: CompileCelPolicyOptions,
): Stages<CompiledPolicy> {
  const { document: located, kind, exceptions } = input;
  const { policy: written, specs, diagnostics } = parseCelPolicy(located, kind);
  const policy = withEffectiveSettings(written, input, options);
  const problems = new PolicyProblems(policy, options.report);
  for (const diagnostic of [...diagnostics, ...celRefusals(policy, options)]) problems.add(diagnostic);
  const sources = ruleSources(input, specs);
  let bodies: SharedBody[] = [];
  const rules: CompiledRule[] = [];
  for (const source of sources) {
    let shared = bodies.find(({ kind, spec }) => kind === source.kind && spec === source.spec);
    if (shared === undefined) {
      // A spec for controllers has the same problems as the first spec of its kind.
      const isFirst = !bodies.some((each) => each.kind === source.kind);
      const report = (problem: PathDiagnostic): void => isFirst ? problems.addOnce(problem) : undefined;
      for (const problem of constraintProblems(source.kind.constraints(source.spec))) report(problem);
      shared = compileBody(source, { policy, exceptions, once: options.once, report });
      bodies = [...bodies, shared];
    }
    rules.push(compileCelRule(source, shared, policy));
    yield;
  }
  const { broken } = problems;
  const usable = broken === undefined
    ? rules
    : rules.map((rule) => ruleWith(brokenBody(broken, rule.body), rule));
  const audited = policy.failureAction === "Audit" && !policy.emitWarning && kind.type === "validate";
  return { policy, rules: usable, matchConditions: undefined, needs: [], audited, broken };
}

/** The problems of a policy, which are reported as they are added. */
class PolicyProblems {
  readonly #policy: CelPolicy;
  readonly #report: (diagnostic: Diagnostic) => void;
  readonly #added = new Set<string>();
  #broken: Diagnostic | undefined;

  constructor(policy: CelPolicy, report: (diagnostic: Diagnostic) => void) {
    this.#policy = policy;
    this.#report = report;
  }

  /** The first error, which makes the policy broken. */
  get broken(): Diagnostic | undefined {
    return this.#broken;
  }

  add(problem: Diagnostic): void {
    const diagnostic = { ...problem, policy: this.#policy.key };
    if (diagnostic.severity === "error") this.#broken ??= diagnostic;
    this.#report(diagnostic);
  }

  /** Adds a problem unless it was added before: several kinds of one policy compile the same expressions. */
  addOnce(problem: PathDiagnostic): void {
    const text = JSON.stringify(problem);
    if (!this.#added.has(text)) this.add(withPosition(problem, this.#policy.locate));
    this.#added.add(text);
  }
}

/** A spec that becomes a rule: its index among the specs of the policy, its kind, and the binding of the rule. */
interface CelRuleSource {
  readonly kind: PolicyKind;
  readonly spec: JsonObject;
  readonly index: number;
  readonly binding: LocatedDocument | undefined;
}

/** One source for each spec, or for each binding of the policy; then those of the policy's further kinds. */
function ruleSources(
  { kind, further, bindings }: CelPolicyInput,
  specs: readonly JsonObject[],
): readonly CelRuleSource[] {
  const binding = undefined;
  const first = bindings.length === 0
    ? specs.map((spec, index) => ({ kind, spec, index, binding }))
    : bindings.map((each) => ({ kind, spec: specs[0]!, index: 0, binding: each }));
  const others = further.flatMap((each) =>
    (each.everySpec ? specs : specs.slice(0, 1)).map((spec, index) => ({ kind: each, spec, index, binding }))
  );
  return [...first, ...others];
}

/** A compiled spec, which the rules of all bindings share: there may be a thousand of them. */
interface SharedBody {
  readonly kind: PolicyKind;
  readonly spec: JsonObject;
  readonly body: ReturnType<PolicyKind["compile"]>;
  readonly needs: readonly Need[];
  readonly constraints: RuleSelector;
}

function compileBody({ kind, spec }: CelRuleSource, tools: Omit<PolicyTools, "need">): SharedBody {
  const needs: Need[] = [];
  const body = kind.compile(spec, { ...tools, need: (need) => void needs.push(need) });
  const written = compileConstraints(kind.constraints(spec));
  return { kind, spec, body, needs, constraints: kind.adjustSelector?.(spec, written) ?? written };
}

function compileCelRule(
  { kind, index, binding }: CelRuleSource,
  { body: shared, needs: sharedNeeds, constraints }: SharedBody,
  policy: CelPolicy,
): CompiledRule {
  const needs = [...sharedNeeds];
  const body = binding !== undefined && "forBinding" in shared
    ? shared.forBinding(binding, (need) => void needs.push(need))
    : shared;
  const selector = binding === undefined ? constraints : withinBinding(constraints, binding);
  const actions = asTexts(dig(binding?.document, "spec", "validationActions"));
  const action = actions.length === 0 || actions.includes("Deny") ? "Enforce" : "Audit";
  return ruleWith(body, {
    rule: policy.rules[index]!,
    type: kind.type,
    kind: kind.name,
    selector,
    entries: [],
    preconditions: undefined,
    exceptions: withoutExceptions,
    action: binding === undefined ? () => policy.failureAction : () => action,
    needs: selector.needsNamespaceLabels ? [...needs, { kind: "namespaceLabels" }] : needs,
    needsRoles: false,
    needsNamespaceLabels: selector.needsNamespaceLabels,
  });
}

function ruleWith(body: CompiledBody, rest: Omit<CompiledRule, "body" | "constantResults">): CompiledRule {
  return {
    ...rest,
    body,
    constantResults: new ConstantResults(body, { rule: rest.rule.name, type: rest.type }),
  };
}

/**
 * The policy with its effective settings. A policy that the API server enforces applies only where it has a binding,
 * and at admission only if `admissionPolicies` is `served`.
 */
function withEffectiveSettings(
  policy: CelPolicy,
  { document: located, bindings, kind }: CelPolicyInput,
  { admissionPolicies }: CompileCelPolicyOptions,
): CelPolicy {
  if (kind.onlyOnCommandLine?.(asObject(field(located.document, "spec")) ?? {})) {
    return { ...policy, admission: false, background: false, written: policy };
  }
  if (located.group !== "admissionregistration.k8s.io") return policy;
  const emitWarning = bindings.some(({ document }) =>
    asTexts(dig(document, "spec", "validationActions")).includes("Warn")
  );
  return { ...policy, emitWarning, admission: admissionPolicies === "served" && bindings.length > 0 };
}

/** A selector for the resources that both a policy and its binding match. */
function withinBinding(selector: RuleSelector, { document }: LocatedDocument): RuleSelector {
  const resources = dig(document, "spec", "matchResources");
  if (!isObject(resources)) return selector;
  const binding = compileConstraints(resources);
  const select: RuleSelector["select"] = (candidate) => {
    const selection = selector.select(candidate);
    return selection.selected ? binding.select(candidate) : selection;
  };
  return {
    ...selector,
    select,
    explain: (candidate) => ({
      ...(selector.select(candidate).selected ? binding : selector).explain(candidate),
      selection: select(candidate),
    }),
    needsNamespaceLabels: selector.needsNamespaceLabels || binding.needsNamespaceLabels,
  };
}

function brokenBody({ message }: Diagnostic, { downstream, unusable }: CompiledBody): CompiledBody {
  const outcome: Outcome = unusable ??
    { ...error(`the policy cannot be used: ${message}`), meaning: "unusable" };
  // Constant results have the rule's name.
  const constants = outcome.reportedAs === undefined ? [outcome] : [];
  return { run: () => outcome, constants, ...(downstream && { downstream }) };
}
